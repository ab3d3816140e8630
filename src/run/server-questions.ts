// The questions of servers in the middle of a call, as ops below it, and what became of them in the words of the server.

import type { Journal } from '../journal/journal.ts';
import { FaultError } from '../kernel/fault.ts';
import type { OpPath } from '../kernel/path.ts';
import {
  askedAboutQuestion,
  formAnswer,
  type ServerAnswer,
  type ServerQuestion,
  serverPrompt,
  serverQuestionIn,
  type UnfinishedCall,
} from '../kernel/server-question.ts';
import { redactedValue } from '../secrets/redacted-value.ts';
import type { Secrets } from '../secrets/secrets.ts';
import type { AskBelow } from './questions-below.ts';
import { recordedBelow } from './questions-below.ts';

/** Asks a person. Never rejects: a call that is stopped, and a question that its server gave up, are cancelled. */
export async function askForServer(
  question: ServerQuestion,
  until: AbortSignal,
  { ask, secrets }: { readonly ask: AskBelow; readonly secrets: Secrets | undefined },
): Promise<ServerAnswer> {
  const shown = secrets === undefined ? question : redactedValue(question, secrets);
  try {
    const verdict = await ask({ prompt: serverPrompt(shown), about: askedAboutQuestion(shown) }, until);
    if (!verdict.approved) return { action: verdict.absent === true ? 'cancel' : 'decline' };
    const read = formAnswer(question.form, verdict.answer ?? '{}');
    return read.ok ? { action: 'accept', content: read.content } : { action: 'decline' };
  } catch (thrown) {
    if (thrown instanceof FaultError && !thrown.fault.code.startsWith('journal/')) return { action: 'cancel' };
    throw thrown;
  }
}

/** The unfinished call that waited for an answer when the process died. It goes on from there. */
export function unfinishedBelow(path: OpPath, records: Journal['records']): UnfinishedCall | undefined {
  const latest = recordedBelow(path, records, 'in a call').at(-1);
  return serverQuestionIn(latest?.about)?.unfinished;
}
