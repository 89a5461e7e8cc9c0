// Decodes bytes that `SevenBitText` encoded as text: 7 bits for each character. HTML gives the
// characters 0, 13 and `<` a meaning in scripts. Each of them is therefore encoded together with
// the next character as one: number 160 + n, 288 + n or 416 + n, where n is the 7 bits of the next
// one.
const replaced = [0, 13, 60];

export function bytesOfText(text, count) {
  const bytes = new Uint8Array(count);
  let [bits, bitCount, length] = [0, 0, 0];
  const add = (value) => {
    bits = (bits << 7 | value) & 0xffff;
    bitCount += 7;
    if (bitCount >= 8 && length < count) bytes[length++] = bits >> (bitCount -= 8);
  };
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code >= 160) add(replaced[(code - 160) >> 7]);
    add(code < 128 ? code : (code - 160) & 127);
  }
  return bytes;
}
