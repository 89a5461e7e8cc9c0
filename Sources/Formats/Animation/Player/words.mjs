// The words of the player: English and Traditional Chinese.
const words = {
  replay: ['Replay', '重播'],
  replayOf: ['Replay: {a}', '重播：{a}'],
  drawing: ['Drawing', '畫作'],
  play: ['Play', '播放'],
  pause: ['Pause', '暫停'],
  playDrawing: ['Play this drawing', '播放這幅畫'],
  previous: ['Previous stroke', '上一筆'],
  next: ['Next stroke', '下一筆'],
  position: ['Position in the recording', '播放位置'],
  of: ['{a} of {b}', '{a}／{b}'],
  options: ['Replay options', '播放選項'],
  speed: ['Speed', '速度'],
  skip: ['Skip pauses', '略過停頓'],
  earlier: ['Show earlier strokes', '顯示先前筆跡'],
  loop: ['Play again and again', '循環播放'],
  save: ['Save this moment as PNG', '將此刻存成 PNG'],
  full: ['Full screen', '全螢幕'],
  shortcuts: ['Keyboard shortcuts', '鍵盤快速鍵'],
  close: ['Close', '關閉'],
  keyPlay: ['Play or pause', '播放或暫停'],
  keySeek: ['One second back, ahead', '倒退、前進一秒'],
  keyStroke: ['Previous, next stroke', '上一筆、下一筆'],
  keyEnds: ['Start, end', '開頭、結尾'],
  keySpeed: ['Slower, faster', '變慢、變快'],
  keyZoom: ['Zoom in, out, fit', '放大、縮小、符合視窗'],
  keyThis: ['This list', '這份清單'],
  space: ['Space', '空白鍵'],
  language: ['中文', 'EN'],
  languageLabel: ['中文: switch to Traditional Chinese', 'EN：切換為英文'],
  theme: ['Light or dark', '切換明暗'],
  skipTo: ['Skip to the drawing', '跳到畫作'],
  damaged: [
    'Part of this recording is damaged. What can be read is shown.',
    '這份錄製檔有部分損毀，以下為可讀取的內容。',
  ],
  unreadable: ['This drawing cannot be read.', '無法讀取這幅畫。'],
  nothing: ['Nothing is drawn here yet.', '這裡還沒有畫任何東西。'],
  tooLarge: ['This drawing is too large for a page.', '這幅畫太大，無法在網頁中顯示。'],
  notSaved: ['This picture could not be saved.', '無法儲存這張圖片。'],
  failed: ['This drawing could not be shown. Try to load the page again.', '無法顯示這幅畫。請重新載入頁面。'],
};

export const isChinese = (language) => /^zh/i.test(language ?? '');

// The words of a key in a language; values replace the names in braces.
export function word(key, language, values = {}) {
  return words[key][isChinese(language) ? 1 : 0].replace(/\{(\w)\}/g, (_, name) => values[name]);
}
