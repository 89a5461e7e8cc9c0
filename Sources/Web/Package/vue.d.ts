// The types of the components for Vue.

import type { DefineComponent } from 'vue';

export const PentimentoCanvas: DefineComponent<{ modelValue?: Uint8Array | null }>;
export const PentimentoTools: DefineComponent<Record<string, unknown>>;
