// The types of `<pentimento-canvas>` and `<pentimento-tools>`.

import type { Ink, Paper } from './index.js';

export type Tool = 'ink' | 'eraser' | 'strokeEraser' | 'lasso';
/** A URL, a file, or the bytes of a recording (`.pkd`) or of a PencilKit archive; null for an empty page. */
export type CanvasSource = string | URL | Blob | ArrayBuffer | ArrayBufferView | null;

export interface FileOptions {
  /** The type of the file; `png` unless given. */
  type?: 'png' | 'svg' | 'pdf' | 'pkd' | 'drawing';
  /** Pixels per point; 2 unless given. */
  scale?: number;
  style?: 'light' | 'dark';
  /** `none` unless given, or a colour. */
  background?: string;
}

export interface CanvasEvents {
  load: CustomEvent<{ isNew: boolean }>;
  error: CustomEvent<{ code: string; message: string; status?: number }>;
  notice: CustomEvent<{ key: string; message: string }>;
  strokestart: CustomEvent<{ tool: string; ink: Ink; color: string; size: number; pointerType: string }>;
  strokeend: CustomEvent<Record<string, never>>;
  drawingchange: CustomEvent<{ canUndo: boolean; canRedo: boolean }>;
  toolchange: CustomEvent<{ isBare: boolean }>;
  selectionchange: CustomEvent<{ count: number; box: [number, number, number, number] | null; ink?: Ink }>;
  viewchange: CustomEvent<{ zoom: number }>;
}

export class PentimentoCanvasElement extends HTMLElement {
  src: string | null;
  name: string | null;
  label: string | null;
  required: boolean;
  readonly: boolean;
  tool: Tool;
  ink: Ink;
  /** `#rrggbb`, or `#rrggbbaa` with an opacity. */
  color: string;
  /** The width of the ink or the eraser, in points. */
  size: number;
  paper: Paper;
  /** Width and height in points; null for a page without edges. */
  pageSize: [number, number] | null;
  background: string | null;
  theme: string | null;
  penOnly: boolean;
  evenWidth: boolean;
  keepHand: boolean;
  /** The bytes of the drawing after the last change; null before one is open. */
  value: Uint8Array | null;
  /** The spaces at the edges that bars cover, in CSS pixels from the top clockwise. */
  insets: [number, number, number, number];
  zoom: number;
  /** Reads files that the engine does not read. */
  convert?: (file: Uint8Array) => Promise<{ recording: Uint8Array; pageCount?: number }>;
  readonly isOpen: boolean;
  readonly isEmpty?: boolean;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  readonly selectionCount: number;
  readonly form: HTMLFormElement | null;
  readonly validity: ValidityState;
  load(source: CanvasSource): Promise<unknown>;
  save(): Promise<Uint8Array>;
  toBlob(options?: FileOptions): Promise<Blob>;
  insert(source: CanvasSource, at?: [number, number]): Promise<number>;
  take(choices: { tool?: Tool; ink?: Ink; color?: string; size?: number }): void;
  select(wanted?: 'all' | 'none' | [number, number][]): void;
  undo(): void;
  redo(): void;
  clear(): void;
  fit(): Promise<void>;
  zoomBy(factor: number): void;
  checkValidity(): boolean;
  reportValidity(): boolean;
  addEventListener<Name extends keyof CanvasEvents>(
    name: Name,
    listener: (event: CanvasEvents[Name]) => void,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(
    name: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | AddEventListenerOptions,
  ): void;
}

export class PentimentoToolsElement extends HTMLElement {
  canvas: PentimentoCanvasElement | null;
}

/** The addresses of the worker's script and of the engines, for apps that move them. */
export function configure(addresses: { worker?: string; engines?: [string, string] }): void;

declare global {
  interface HTMLElementTagNameMap {
    'pentimento-canvas': PentimentoCanvasElement;
    'pentimento-tools': PentimentoToolsElement;
  }
}
