// Cuts a text into pieces at word boundaries, for providers that have the whole of it and are to stream it.

/** Pieces of at least `least` characters each, but for the last. Joined they are the text again. */
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

/** A few large pieces: nobody could see single words where no time passes between them. */
export const fewPieces = (text: string): readonly string[] => inWords(text, Math.max(16, text.length / 8));
