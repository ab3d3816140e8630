// A question to a person on one line: what a call is about, before all of it is shown. The same on every surface, and
// nothing in it hides or turns text around. Pure: the page uses it, too.

import { escapeUnseen } from '../../base/text/escape-unseen.ts';
import { type AskedCall, type Preview, previewOf } from '../../kernel/approval.ts';
import { questionIn } from '../../kernel/person.ts';

/** The characters that a head or a row has room for: the question itself is shown whole. */
const ROOM = 120;

/** `edit_file src/speed.js`, `pay order 17, amount 3`, or a question in its own words. */
export function askedWords({ prompt, about }: { readonly prompt: string; readonly about?: unknown }): string {
  const question = questionIn(about);
  if (question !== undefined) return beginning(String(question.question));
  const name = toolAskedAbout(about);
  return name === undefined ? beginning(prompt) : beginning(`${name} ${askedDetail(about)}`);
}

/** `fixer asks you: edit_file src/speed.js` */
export const asksYou = (asker: string, op: { readonly prompt: string; readonly about?: unknown }): string =>
  `${asker} asks you: ${askedWords(op)}`;

/** The tool that would be called. Undefined: the question is in words. */
export function toolAskedAbout(about: unknown): string | undefined {
  const { name } = (about ?? {}) as Partial<AskedCall>;
  return questionIn(about) !== undefined || typeof name !== 'string' ? undefined : escapeUnseen(name);
}

/** The subject of the call, without the name of its tool. */
export function askedDetail(about: unknown): string {
  const preview = previewOf(about);
  if (preview !== undefined) return beginning(previewDetail(preview));
  const { arguments: given } = (about ?? {}) as Partial<AskedCall>;
  if (typeof given !== 'object' || given === null) return given === undefined ? '' : beginning(JSON.stringify(given));
  const entries = Object.entries(given).filter(([, value]) => typeof value !== 'object');
  const [only] = entries;
  if (entries.length === 1 && only !== undefined) return beginning(String(only[1]));
  return beginning(entries.map(([key, value]) => `${key} ${String(value)}`).join(', '));
}

function previewDetail(preview: Preview): string {
  switch (preview.kind) {
    case 'diff':
      return preview.paths.join(', ');
    case 'command':
      return preview.command;
    case 'request':
      return `${preview.method} ${preview.url}`;
  }
}

function beginning(text: string): string {
  const line = escapeUnseen(
    text
      .slice(0, 4 * ROOM)
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );
  return line.length <= ROOM ? line : `${line.slice(0, ROOM)}…`;
}
