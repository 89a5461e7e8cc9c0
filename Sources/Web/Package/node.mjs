// Pentimento for Node, which reads files by their paths.

import { readFile } from 'node:fs/promises';
import { files } from './index.mjs';

files.read = readFile;
export { convert, EngineError, info, pixels, render, thumbnail } from './index.mjs';
