// Bytes in the text of a page: 7 bits for each character. The characters that HTML changes in scripts (0, 13 and <)
// are replaced by those from 160 on: 128 for each, according to the 7 bits that follow. `SevenBitText` writes them.
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
