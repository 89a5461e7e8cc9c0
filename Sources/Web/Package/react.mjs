// `<PentimentoCanvas>` and `<PentimentoTools>` for React: attributes by their names, properties and
// events of the elements as props, and the element by `ref`.

import { createElement, forwardRef, useImperativeHandle, useLayoutEffect, useRef } from 'react';
import './canvas.mjs';

// The elements' events, by the names of props.
const events = {
  onLoad: 'load',
  onError: 'error',
  onNotice: 'notice',
  onStrokeStart: 'strokestart',
  onStrokeEnd: 'strokeend',
  onDrawingChange: 'drawingchange',
  onToolChange: 'toolchange',
  onSelectionChange: 'selectionchange',
};
// Values that no attribute can hold.
const properties = ['value', 'convert', 'insets', 'pageSize', 'canvas'];

const component = (name) =>
  forwardRef((props, ref) => {
    const element = useRef(null);
    const latest = useRef(props);
    latest.current = props;
    useImperativeHandle(ref, () => element.current, []);
    // Listeners stay, and call the props of the last rendering.
    useLayoutEffect(() => {
      const { current } = element;
      const listeners = Object.entries(events).map(([prop, event]) => [event, (told) => latest.current[prop]?.(told)]);
      for (const [event, listen] of listeners) current.addEventListener(event, listen);
      return () => {
        for (const [event, listen] of listeners) current.removeEventListener(event, listen);
      };
    }, []);
    for (const property of properties) {
      useLayoutEffect(() => {
        if (props[property] !== undefined) element.current[property] = props[property];
      }, [props[property]]);
    }
    const attributes = Object.entries(props)
      .filter(([prop, value]) => !(prop in events) && !properties.includes(prop) && value !== false)
      .map(([prop, value]) => [attributeOf(prop), value === true ? '' : value]);
    return createElement(name, { ...Object.fromEntries(attributes), ref: element });
  });

// Props in camel case are attributes with hyphens. React 18 gives a `className` to elements as it is.
const attributeOf = (
  prop,
) => ({ className: 'class', htmlFor: 'for' }[prop] ?? prop.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`));

export const PentimentoCanvas = component('pentimento-canvas');
export const PentimentoTools = component('pentimento-tools');
