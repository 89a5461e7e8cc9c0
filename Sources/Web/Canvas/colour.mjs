// Colours as numbers and texts: `#rrggbb` everywhere, unless a function says otherwise.

const channels = (color) => [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));
// Three or more channels from 0 to 255 as a colour.
export const hex = (numbers) => `#${numbers.map((one) => Math.round(one).toString(16).padStart(2, '0')).join('')}`;

// A colour of one style as the engine draws it in the other: the lightness of HSL is inverted. This is
// its own inverse.
export function inverted(color) {
  const all = channels(color);
  const shift = 255 - Math.max(...all) - Math.min(...all);
  return hex(all.map((one) => one + shift));
}

// A colour with an opacity from 0 to 1.
export const translucent = (color, opacity) => (opacity < 1 ? color + hex([255 * opacity]).slice(1) : color);

// The colour and the opacity of a text like `#fa0`, `#ffaa00` or `ffaa0080`; null for other texts.
export function parsed(text) {
  const digits = text.trim().replace(/^#/, '').toLowerCase();
  if (!/^([0-9a-f]{3}|[0-9a-f]{6}|[0-9a-f]{8})$/.test(digits)) return null;
  const all = digits.length === 3 ? digits.replace(/./g, '$&$&') : digits;
  // Ink that cannot be seen would be lost.
  return { colour: `#${all.slice(0, 6)}`, opacity: Math.max(parseInt(all.slice(6) || 'ff', 16) / 255, 0.01) };
}

// Hue in degrees, saturation and brightness from 0 to 1. Greys have no hue, and black has no
// saturation: they keep the previous ones.
export function parts(color, [hue, saturation]) {
  const [red, green, blue] = channels(color);
  const [most, range] = [Math.max(red, green, blue), Math.max(red, green, blue) - Math.min(red, green, blue)];
  if (range > 0) {
    const sixth = most === red
      ? (green - blue) / range + 6
      : most === green
      ? (blue - red) / range + 2
      : (red - green) / range + 4;
    hue = (60 * sixth) % 360;
  }
  return [hue, most > 0 ? range / most : saturation, most / 255];
}

// The colour of hue, saturation and brightness.
export const mixed = (hue, saturation, brightness) =>
  hex([5, 3, 1].map((start) => {
    const at = (start + hue / 60) % 6;
    return 255 * brightness * (1 - saturation * Math.max(0, Math.min(at, 4 - at, 1)));
  }));
