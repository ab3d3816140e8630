// What a run waits for a person with, in words, for a client that shows it to its user; and the user's words as a verdict.

import type { Saying } from '../../engine/engine.ts';
import { previewOf } from '../../kernel/approval.ts';
import { type PersonQuestion, questionIn } from '../../kernel/person.ts';
import type { WaitingApproval } from '../../views/approvals.ts';

/** As much of a call as a person reads in a dialog. */
const SHOWN = 4_000;

/** The question itself, or the call that needs a yes with what it would do. */
export function askedOfPerson({ prompt, about }: WaitingApproval): string {
  const question = questionIn(about);
  if (question !== undefined) return question.question;
  const shown = callText(about);
  return shown === '' ? prompt : `${prompt}\n\n${cut(shown)}`;
}

function callText(about: unknown): string {
  const preview = previewOf(about);
  if (preview?.kind === 'diff') return preview.text;
  if (preview?.kind === 'command') return `${preview.command}\n(in ${preview.cwd}; ${preview.sandbox})`;
  const { arguments: given } = (about ?? {}) as { readonly arguments?: unknown };
  return given === undefined ? '' : JSON.stringify(given, null, 2);
}

const cut = (text: string): string =>
  text.length <= SHOWN
    ? text
    : `${text.slice(0, SHOWN)}\n[… ${text.length - SHOWN} of ${text.length} characters left out]`;

export type PersonAnswer =
  | { readonly kind: 'yes' }
  | { readonly kind: 'no'; readonly note?: string | undefined }
  /** To a question: the answer in words. */
  | { readonly kind: 'words'; readonly text: string };

export function verdictOf(op: string, answer: PersonAnswer, by: string): Saying {
  switch (answer.kind) {
    case 'yes':
      return { kind: 'verdict', op, approved: true, by };
    case 'no':
      return { kind: 'verdict', op, approved: false, note: answer.note ?? 'A person said no.', by };
    case 'words':
      return { kind: 'verdict', op, approved: true, answer: answer.text, by };
  }
}

/** The option that is meant by its words or by its number. Without options: the words as they are. */
export function optionMeant({ options }: PersonQuestion, said: string): string {
  const text = said.trim();
  if (options === undefined) return text;
  const same = options.find((one) => one.toLowerCase() === text.toLowerCase());
  return same ?? (/^\d{1,2}$/.test(text) ? options[Number(text) - 1] : undefined) ?? text;
}
