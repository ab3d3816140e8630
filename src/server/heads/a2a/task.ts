// A run as a task of A2A. A task is computed from the journal of its run whenever it is asked for, so there is no second
// book, and a restart changes nothing.

import type { Artifact, Message, Part, Task, TaskStatus } from '@a2a-js/sdk';
import type { RunEvent, RunId } from '../../../journal/event.ts';
import { approvalDigest } from '../../../journal/fingerprint.ts';
import type { ControlMessage } from '../../../kernel/control.ts';
import type { Verdict } from '../../../kernel/effect.ts';
import { isBroken, type Outcome } from '../../../kernel/outcome.ts';
import type { OpPath } from '../../../kernel/path.ts';
import { questionIn } from '../../../kernel/person.ts';
import { ApprovalsFold, type WaitingApproval } from '../../../views/approvals.ts';
import { unmetWords } from '../../../views/step-words.ts';
import { refusal, safeFault } from '../head-fault.ts';
import type { HeadContext } from '../head-host.ts';
import { type AnsweredOp, askedOfPerson, decidedBy } from '../person-question.ts';

/** The states of a task, by their numbers in the protocol. */
const STATE = { working: 2, completed: 3, failed: 4, canceled: 5, inputRequired: 6 } as const;
const ROLE = { user: 1, agent: 2 } as const;

const ANSWER = 'answer';

export class TaskFold {
  readonly #run: RunId;
  readonly #context: HeadContext;
  readonly #answered: OpPath | undefined;
  readonly #approvals = new ApprovalsFold();
  readonly #said: Message[] = [];
  readonly #taken = new Map<string, ControlMessage>();
  #thread: string;
  #outcome: Outcome | undefined;
  #at = 0;

  /**
   * `context` says what of a failure a client may read. `answered` is the question that was answered by the request at hand:
   * the task waits for it no more, also while the answer still lies with the messages to the run.
   */
  constructor(run: RunId, context: HeadContext, answered?: OpPath) {
    this.#run = run;
    this.#thread = run;
    this.#context = context;
    this.#answered = answered;
  }

  get isOver(): boolean {
    return this.#outcome !== undefined;
  }

  add(event: RunEvent): void {
    this.#at = event.at;
    this.#approvals.add(event);
    if (event.type === 'run-start') {
      this.#thread = event.thread ?? this.#run;
      this.#said.push(this.#message(ROLE.user, event.input.text));
    } else if (event.type === 'control') {
      this.#taken.set(event.message.id, event.message);
      if (event.message.kind === 'send') this.#said.push(this.#message(ROLE.user, event.message.text));
    } else if (event.type === 'run-end') this.#outcome = event.outcome;
  }

  /** The questions with which the task waits for a person. Its status asks the first. */
  waiting(): readonly WaitingApproval[] {
    return this.#approvals.waiting().filter(({ path }) => path !== this.#answered);
  }

  /** The first of them, as an answer names it. */
  asks(): AnsweredOp | undefined {
    const [first] = this.waiting();
    return first && { op: first.path, seen: approvalDigest(first.prompt, first.about) };
  }

  decided(op: OpPath): Verdict | undefined {
    return this.#approvals.decided.get(op);
  }

  /** The message of this id that the run has taken. */
  taken(id: string): ControlMessage | undefined {
    return this.#taken.get(id);
  }

  task(): Task {
    const { decided } = this.#approvals;
    return {
      id: this.#run,
      contextId: this.#thread,
      status: this.#status(),
      artifacts: this.#outcome?.kind === 'answered' ? [answerArtifact(this.#outcome.text, this.#outcome.data)] : [],
      history: [...this.#said],
      metadata: decided.size === 0 ? undefined : { [DECIDED_KEY]: decidedBy(decided) },
    };
  }

  #status(): TaskStatus {
    const timestamp = new Date(this.#at).toISOString();
    if (this.#outcome !== undefined) {
      const { state, text } = endOf(this.#outcome, this.#context);
      return { state, message: text === undefined ? undefined : this.#message(ROLE.agent, text), timestamp };
    }
    const [first] = this.waiting();
    if (first === undefined) return { state: STATE.working, message: undefined, timestamp };
    const question = this.#message(ROLE.agent, asked(first), `${this.#run}-op-${first.path}`);
    return { state: STATE.inputRequired, message: { ...question, metadata: metadataOf(this.asks()) }, timestamp };
  }

  #message(role: number, text: string, messageId = `${this.#run}-${this.#said.length}`): Message {
    return {
      messageId,
      contextId: this.#thread,
      taskId: this.#run,
      role,
      parts: [textPart(text)],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
    };
  }
}

/** The key of an op in the metadata of the status and of its message; an answer brings it back in its own. */
export const OP_KEY = 'cadre/op';
export const SEEN_KEY = 'cadre/seen';
const DECIDED_KEY = 'cadre/decided';

export const metadataOf = (asks: AnsweredOp | undefined): Record<string, string | undefined> | undefined =>
  asks && { [OP_KEY]: asks.op, [SEEN_KEY]: asks.seen };

function endOf(outcome: Outcome, context: HeadContext): { readonly state: number; readonly text?: string } {
  if (!isBroken(outcome)) {
    const unmet = unmetWords(outcome);
    return { state: STATE.completed, ...(unmet !== undefined && { text: unmet }) };
  }
  const { kind, fault, partial } = outcome;
  const written = partial === undefined ? '' : `\n\nIt had written:\n\n${partial}`;
  const { message } = safeFault(refusal(fault), context);
  return { state: kind === 'cancelled' ? STATE.canceled : STATE.failed, text: `${kind}: ${message}${written}` };
}

const textPart = (text: string): Part => ({
  content: { $case: 'text', value: text },
  metadata: undefined,
  filename: '',
  mediaType: 'text/markdown',
});

export const answerArtifact = (text: string, data?: unknown): Artifact => ({
  artifactId: ANSWER,
  name: ANSWER,
  description: '',
  parts: [
    data === undefined
      ? textPart(text)
      : { content: { $case: 'data', value: data }, metadata: undefined, filename: '', mediaType: 'application/json' },
  ],
  metadata: undefined,
  extensions: [],
});

/** The question to the client's user, and the ways to answer it. */
function asked(waiting: WaitingApproval): string {
  if (questionIn(waiting.about) !== undefined) return askedOfPerson(waiting);
  return `${askedOfPerson(waiting)}\n\nAnswer with "yes" or "no". After a "no" you may say why.`;
}
