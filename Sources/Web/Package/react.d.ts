// The types of the components for React.

import type { CSSProperties, ForwardRefExoticComponent, RefAttributes } from 'react';
import type { CanvasEvents, CanvasSource, PentimentoCanvasElement, PentimentoToolsElement, Tool } from './canvas.js';
import type { Ink, Paper } from './index.js';

export interface PentimentoCanvasProps {
  id?: string;
  className?: string;
  style?: CSSProperties;
  src?: string;
  name?: string;
  label?: string;
  required?: boolean;
  readonly?: boolean;
  tool?: Tool;
  ink?: Ink;
  color?: string;
  size?: number;
  paper?: Paper;
  background?: string;
  theme?: 'light' | 'dark';
  penOnly?: boolean;
  value?: CanvasSource;
  onLoad?: (event: CanvasEvents['load']) => void;
  onError?: (event: CanvasEvents['error']) => void;
  onNotice?: (event: CanvasEvents['notice']) => void;
  onStrokeStart?: (event: CanvasEvents['strokestart']) => void;
  onStrokeEnd?: (event: CanvasEvents['strokeend']) => void;
  onDrawingChange?: (event: CanvasEvents['drawingchange']) => void;
  onToolChange?: (event: CanvasEvents['toolchange']) => void;
  onSelectionChange?: (event: CanvasEvents['selectionchange']) => void;
}
export interface PentimentoToolsProps {
  htmlFor?: string;
  autosaveName?: string;
  className?: string;
  canvas?: PentimentoCanvasElement | null;
}

export const PentimentoCanvas: ForwardRefExoticComponent<
  PentimentoCanvasProps & RefAttributes<PentimentoCanvasElement>
>;
export const PentimentoTools: ForwardRefExoticComponent<PentimentoToolsProps & RefAttributes<PentimentoToolsElement>>;
