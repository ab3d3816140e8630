// Cuts a text into pieces at word boundaries, for providers that have the whole text and must stream it.

/** Pieces of at least `least` characters each, except the last. Joined, they are the text. */
export function inWords(text: string, least: number): readonly string[] {
  if (text.length <= least) return text === '' ? [] : [text];
  const pieces: string[] = [];
  let piece = '';
  for (const word of text.match(/\s*\S+|\s+$/g) ?? []) {
    piece += word;
    if (piece.length < least) continue;
    pieces.push(piece);
    piece = '';
  }
  if (piece !== '') pieces.push(piece);
  return pieces;
}

/** A few large pieces: single words are no use where no time passes between them. */
export const fewPieces = (text: string): readonly string[] => inWords(text, Math.max(16, text.length / 8));
