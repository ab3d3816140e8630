// A message to a run in words, the same in the terminal and on the page: who sent it, and what it does.

import type { ControlMessage } from '../kernel/control.ts';
import { personWord } from '../kernel/person-words.ts';

/** `you sent a message: Hurry.` `you`: the names that the reader goes by. */
export function controlWords(message: ControlMessage, you: readonly string[]): string {
  return `${personWord(message.by, you)} ${deedOf(message)}`;
}

function deedOf(message: ControlMessage): string {
  switch (message.kind) {
    case 'stop':
      return `asked for the final answer: ${message.reason}`;
    case 'cancel':
      return `cancelled ${message.to ?? 'the run'}: ${message.reason}`;
    case 'send':
      return `sent ${message.to === undefined ? '' : `${message.to} `}a message: ${message.text}`;
    case 'verdict': {
      const verb = message.answer !== undefined ? 'answered' : message.approved ? 'approved' : 'denied';
      const scope = message.scope === undefined ? '' : ' for the rest of the run';
      return `${verb} op ${message.op}${scope}${message.note === undefined ? '' : `: ${message.note}`}`;
    }
    case 'share-context':
      return `shared ${Object.keys(message.context).join(', ')}`;
  }
}
