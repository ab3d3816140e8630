// The question with which a run waits for a person, in words, for a client that shows it to its user; and the user's
// words as a verdict.

import { escapeUnseen } from '../../base/text/escape-unseen.ts';
import type { UnsentMessage } from '../../engine/contract.ts';
import type { Verdict } from '../../kernel/effect.ts';
import type { OpPath } from '../../kernel/path.ts';
import { type PersonQuestion, questionIn } from '../../kernel/person.ts';
import { verdictText } from '../../kernel/verdict-words.ts';
import type { WaitingApproval } from '../../views/approvals.ts';
import { linesText, personLines, questionText } from '../../views/asking/question-lines.ts';

/**
 * The question itself, or the call that needs a yes with what it would do. Clients may show it as Markdown, so a call
 * stands in a fence that it cannot close.
 */
export function askedOfPerson({ prompt, about }: WaitingApproval): string {
  const question = questionIn(about);
  if (question !== undefined) return inWords(question);
  const shown = questionText(about);
  const ticks = '`'.repeat(Math.max(3, longestRun(shown, '`') + 1));
  return `${escapeUnseen(prompt)}\n\n${ticks}\n${shown}\n${ticks}`;
}

/** Markdown takes the options for a list only below an empty line. */
function inWords({ question, options = [], fields }: PersonQuestion): string {
  const asked = linesText(personLines({ question, ...(fields && { fields }) }));
  const ways = personLines({ question: '', options })
    .slice(1)
    .map(({ text }) => text.trimStart())
    .join('\n');
  return ways === '' ? asked : `${asked}\n\n${ways}`;
}

function longestRun(text: string, of: string): number {
  let longest = 0;
  for (let run = 0, at = 0; at < text.length; at++) {
    run = text[at] === of ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest;
}

export type PersonAnswer =
  | { readonly kind: 'yes' }
  | { readonly kind: 'no'; readonly note?: string | undefined }
  /** An answer to a question, in words. */
  | { readonly kind: 'words'; readonly text: string };

/** The op that a person was shown, and the digest of what was shown, where the client gives that back. */
export interface AnsweredOp {
  readonly op: OpPath;
  readonly seen?: string | undefined;
}

export function verdictOf({ op, seen }: AnsweredOp, answer: PersonAnswer, by: string): UnsentMessage {
  const about = { kind: 'verdict', op, by, ...(seen !== undefined && { seen }) } as const;
  switch (answer.kind) {
    case 'yes':
      return { ...about, approved: true };
    case 'no':
      return { ...about, approved: false, note: answer.note ?? 'A person said no.' };
    case 'words':
      return { ...about, approved: true, answer: answer.text };
  }
}

/** The decisions and the people who made them, for clients that show them. */
export const decidedBy = (decided: ReadonlyMap<OpPath, Verdict>): Readonly<Record<OpPath, string>> =>
  Object.fromEntries([...decided].map(([op, verdict]) => [op, verdictText(verdict)]));

/** The option that is meant by its words or by its number. Without options: the words as they are. */
export function optionMeant({ options }: PersonQuestion, said: string): string {
  const text = said.trim();
  if (options === undefined) return text;
  const same = options.find((one) => one.toLowerCase() === text.toLowerCase());
  return same ?? (/^\d{1,2}$/.test(text) ? options[Number(text) - 1] : undefined) ?? text;
}
