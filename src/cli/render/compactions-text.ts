// The compactions of a run: what each one replaced, the summary that stands there, and which turns read it back.

import { replacedWords } from '../../views/replaced-words.ts';
import type { Compaction } from '../../views/talk/compactions.ts';
import type { Paint } from '../screen/terminal.ts';
import { indentedText, oneLine } from './width.ts';

export function compactionsText(
  compactions: readonly Compaction[],
  options: { readonly paint: Paint; readonly columns?: number },
): readonly string[] {
  return compactions.flatMap((one, index) => [...(index === 0 ? [] : ['']), ...compactionText(one, options)]);
}

function compactionText(
  one: Compaction,
  { paint, columns }: { readonly paint: Paint; readonly columns?: number },
): readonly string[] {
  const { agent, session, op, turn, replaces, text = '' } = one;
  const what = `op ${op}, after turn ${turn} of session ${session}: ${replacedWords(replaces)}, ${replaces.messages} messages`;
  return [
    paint('strong', `━━ ${agent} `) + paint('faint', what),
    `  ${endWords(one)}`,
    ...(text === '' ? [] : ['', ...indentedText(text, '    ', columns)]),
  ];
}

function endWords({ state, fault, handle = '', readBack }: Compaction): string {
  switch (state) {
    case 'running':
      return 'has no answer yet';
    case 'failed':
      return `failed, so the session took its final turn: ${oneLine(fault?.message ?? '')}`;
    case 'refused':
      return 'the reply was no such summary, so the session took its final turn';
    case 'done': {
      const turns = [...new Set(readBack.map((one) => one.turn))];
      const by = turns.length === 0 ? 'nothing read it back' : `read back in turn ${turns.join(', ')}`;
      return `kept under ${handle}; ${by}`;
    }
  }
}
