// Conversations as a person reads them: who said what, each turn under its own heading.

import { countedNoun } from '../../base/text/words.ts';
import type { Message, ToolCall } from '../../kernel/message.ts';
import type { Conversation, TranscriptEntry } from '../../views/talk/transcript.ts';
import type { Paint } from '../screen/terminal.ts';
import { indentedText, oneLine } from './width.ts';

interface TranscriptOptions {
  readonly paint: Paint;
  readonly columns?: number;
}

export function transcriptText(talks: readonly Conversation[], options: TranscriptOptions): readonly string[] {
  return talks.flatMap((talk, index) => [...(index === 0 ? [] : ['']), ...talkText(talk, options)]);
}

function talkText(talk: Conversation, options: TranscriptOptions): readonly string[] {
  const { paint } = options;
  const why = talk.trigger === 'start' ? '' : `, ${talk.trigger}`;
  const under = talk.parent === undefined ? '' : ` of session ${talk.parent}`;
  const turn = talk.parentTurn === undefined || talk.parentTurn === 0 ? '' : `, turn ${talk.parentTurn}`;
  return [
    paint('strong', `━━ ${talk.agent} `) + paint('faint', `session ${talk.session}${why}${under}${turn}`),
    ...section('system', talk.system, options),
    ...historyText(talk, options),
    ...talk.entries.filter((entry) => entry.history !== true).flatMap((entry) => entryText(entry, options)),
  ];
}

/** Many sessions may begin with the earlier conversation: it is only counted, and `cadre show` of those runs has it. */
function historyText({ entries }: Conversation, { paint }: TranscriptOptions): readonly string[] {
  const count = entries.filter(({ history }) => history === true).length;
  if (count === 0) return [];
  return ['', paint('faint', `  … ${countedNoun(count, 'message')} of the conversation before this run`)];
}

function entryText(
  { message, turn, folded, replaced }: TranscriptEntry,
  options: TranscriptOptions,
): readonly string[] {
  const note =
    replaced === true ? ', replaced by a summary' : folded === true ? ', folded: the model sees only its handle' : '';
  return section(
    `${headOf(message)}${message.role === 'assistant' ? `, turn ${turn}` : ''}${note}`,
    bodyOf(message),
    options,
  );
}

function headOf(message: Message): string {
  if (message.role !== 'tool') return message.role;
  return `${message.name} → ${message.result.status}`;
}

function bodyOf(message: Message): string {
  switch (message.role) {
    case 'user':
      return message.text;
    case 'tool':
      return message.result.text;
    case 'assistant': {
      const parts = [message.text.trim(), ...message.calls.map(callText)];
      return parts.filter((part) => part !== '').join('\n');
    }
  }
}

const callText = ({ name, arguments: given, malformed }: ToolCall): string =>
  `→ ${name} ${malformed === undefined ? oneLine(JSON.stringify(given) ?? '') : `(not JSON) ${malformed}`}`;

const section = (head: string, body: string, { paint, columns }: TranscriptOptions): readonly string[] => [
  '',
  paint('name', `  ${head}`),
  ...indentedText(body, '    ', columns),
];
