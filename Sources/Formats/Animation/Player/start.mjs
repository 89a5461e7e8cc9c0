import { bytesOfText } from './text.mjs';

// Unpacks the scripts of the page, and runs them. The page's content policy allows the unpacked
// text by its hash.
const packed = document.getElementById('player');
const fail = () => {
  document.body.append(
    'This browser cannot show the drawing. Please try a newer one. 這個瀏覽器無法顯示這幅畫，請改用較新的版本。',
  );
};
try {
  const bytes = bytesOfText(packed.textContent, Number(packed.dataset.count));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  new Response(stream).text().then((text) => {
    const [element, page, , worker] = text.split('\0');
    packed.worker = worker;
    const script = document.createElement('script');
    script.textContent = element + page;
    document.head.append(script);
  }).catch(fail);
} catch {
  fail();
}
