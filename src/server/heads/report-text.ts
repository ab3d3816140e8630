// The answer inside a call of final_report while the call is written: `{"content": "The ans…` holds `The ans…`. Reads
// the JSON piece by piece. Anything but a text as the first argument is no text to show, and gives nothing.

const OPENING = /^\s*\{\s*"content"\s*:\s*"/;
/** The opening is short. A call that is longer without one has other arguments. */
const LONGEST_OPENING = 200;

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' };

export function reportText() {
  let state: 'opening' | 'text' | 'over' = 'opening';
  let held = '';
  return {
    /** The text that this piece of the arguments adds. */
    push(piece: string): string {
      held += piece;
      if (state === 'opening') {
        const opening = OPENING.exec(held);
        if (opening === null) {
          if (held.length > LONGEST_OPENING) state = 'over';
          return '';
        }
        state = 'text';
        held = held.slice(opening[0].length);
      }
      if (state === 'over') {
        held = '';
        return '';
      }
      const { text, rest, isOver } = unescaped(held);
      held = rest;
      if (isOver) state = 'over';
      return text;
    },
  };
}

/** The characters that are complete. An escape that may go on stays in `rest`. */
function unescaped(json: string): { readonly text: string; readonly rest: string; readonly isOver: boolean } {
  let text = '';
  for (let at = 0; at < json.length; ) {
    const character = json[at] as string;
    if (character === '"') return { text, rest: '', isOver: true };
    if (character !== '\\') {
      text += character;
      at++;
      continue;
    }
    const kind = json[at + 1];
    const length = kind === 'u' ? 6 : 2;
    if (kind === undefined || json.length < at + length) return { text, rest: json.slice(at), isOver: false };
    text +=
      kind === 'u' ? String.fromCharCode(Number.parseInt(json.slice(at + 2, at + 6), 16)) : (ESCAPES[kind] ?? kind);
    at += length;
  }
  return { text, rest: '', isOver: false };
}
