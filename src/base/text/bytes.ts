// Sizes of text in bytes of UTF-8, and cuts that never split a character. Written by hand, because patterns may use
// only the language itself.

export function byteLength(text: string): number {
  let bytes = 0;
  for (const character of text) bytes += widthOf(character);
  return bytes;
}

/** The longest beginning of a text that takes no more than `maxBytes`. */
export function cutToBytes(text: string, maxBytes: number): string {
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    bytes += widthOf(character);
    if (bytes > maxBytes) return text.slice(0, end);
    end += character.length;
  }
  return text;
}

/** The whole lines at the beginning of a text that take no more bytes than this. A line that is longer alone is cut. */
export function cutToLines(text: string, maxBytes: number): string {
  const cut = cutToBytes(text, maxBytes);
  if (cut.length === text.length) return text;
  const end = cut.lastIndexOf('\n') + 1;
  return end === 0 ? cut : cut.slice(0, end);
}

/** Half of a surrogate pair takes three bytes, as does the replacement character that UTF-8 has for it. */
function widthOf(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code < 0x1_0000 ? 3 : 4;
}
