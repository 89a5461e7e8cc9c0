// The types of `pentimento`.

/** The path (in Node) or the URL of a file, or the bytes of a recording (`.pkd`) or of a PencilKit archive. */
export type Source = string | URL | Uint8Array;

export type Ink = 'pen' | 'pencil' | 'marker' | 'monoline' | 'fountainPen' | 'watercolor' | 'crayon' | 'reed';
export type Paper = 'blank' | 'dotted' | 'lined' | 'grid' | 'graph' | 'isometric' | 'staves' | 'cornell';

export interface PictureOptions {
  /** Pixels per point; 1 unless a size is given. */
  scale?: number;
  /** The longer side in pixels, in place of the scale. */
  size?: number;
  /** The space around ink without a page, as a part of its longer side; only with a size. */
  margin?: number;
  /** The part of the page, in points: x, y, width and height. */
  region?: [number, number, number, number];
  /** The moment in seconds; the end unless given. */
  at?: number;
  style?: 'light' | 'dark' | 'stored';
  /** The page's own, none, one on which the ink shows, or `#rrggbb` or `#rrggbbaa`. */
  background?: 'page' | 'none' | 'automatic' | `#${string}`;
  paper?: 'page' | Paper;
  /** Whether erased, undone and moved ink shows through: in sienna, or in a colour. */
  earlier?: boolean | `#${string}`;
}

/** RGBA with straight alpha. */
export interface Pixels {
  width: number;
  height: number;
  data: Uint8ClampedArray;
}

export interface Info {
  /** Width and height in points; null for a page without edges. */
  size: [number, number] | null;
  paper: Paper;
  /** The number of strokes that are visible at the end. */
  strokes: number;
  inks: Ink[];
  /** The length of the recording in seconds. */
  duration: number;
  isDamaged: boolean;
}

export function pixels(source: Source, options?: PictureOptions): Promise<Pixels>;
/** A picture as the bytes of a PNG. */
export function render(source: Source, options?: PictureOptions): Promise<Uint8Array>;
/** A picture of 256 pixels on its longer side, with space around ink without a page. */
export function thumbnail(source: Source, options?: PictureOptions): Promise<Uint8Array>;
/** `drawing` is an archive of PencilKit. Textured inks in `svg` and `pdf` are pictures of `density` pixels a point. */
export function convert(
  source: Source,
  type: 'svg' | 'pdf' | 'pkd' | 'drawing',
  options?: { density?: number },
): Promise<Uint8Array>;
export function info(source: Source): Promise<Info>;

/** The engine refused a value, or could not read the ink. */
export class EngineError extends Error {
  code:
    | 'stopped'
    | 'unknownHandle'
    | 'notARecording'
    | 'noPicture'
    | 'tooLarge'
    | 'invalidArgument'
    | 'unreadable'
    | 'notWritable'
    | 'wrongKind';
}
