// `<PentimentoCanvas v-model="bytes">` and `<PentimentoTools>` for Vue 3. Attributes and listeners are
// passed to the elements as they are.

import { defineComponent, h, onMounted, ref, watch } from 'vue';
import './canvas.mjs';

export const PentimentoCanvas = defineComponent({
  name: 'PentimentoCanvas',
  // The bytes of the drawing.
  props: { modelValue: { default: undefined } },
  emits: ['update:modelValue'],
  setup(props, { attrs, emit, expose }) {
    const element = ref(null);
    // The bytes that came from the canvas, which need not be loaded again.
    let last;
    const open = () => {
      if (props.modelValue !== undefined && props.modelValue !== last) element.value.value = props.modelValue;
    };
    onMounted(open);
    watch(() => props.modelValue, open);
    const changed = async () => {
      last = await element.value.save();
      emit('update:modelValue', last);
    };
    expose({ element });
    return () => h('pentimento-canvas', { ...attrs, ref: element, onDrawingchange: changed });
  },
});

export const PentimentoTools = defineComponent({
  name: 'PentimentoTools',
  setup: (_, { attrs }) => () => h('pentimento-tools', attrs),
});
