// A reply of a model whose calls are at work: which of them something was done for.
// REPLY-1. The calls of a reply that do not end the session stand in order: alone, its ops follow the model op; of
//     several, each is a branch of the fork that follows it.

import type { InstantOp, OpDetail, OpStart, StoredMessage } from '../../journal/event.ts';
import type { ToolCall } from '../../kernel/message.ts';
import { lastIndex, type OpPath } from '../../kernel/path.ts';
import { FINAL_REPORT } from '../../kernel/session/final-report.ts';
import { triggerTraits } from '../../patterns/trigger-traits.ts';
import type { OpRefusal } from './refused-op.ts';

interface ReplyFacts {
  /** The path of the model op. */
  readonly path: OpPath;
  /** The run, or the further message, that it is a turn of. */
  readonly place: OpPath;
  readonly agent: string;
  readonly at: number;
  readonly calls: readonly ToolCall[];
  /** The names of the tools that the model had. */
  readonly offered: readonly string[];
}

interface CallError {
  readonly index: number;
  readonly call: ToolCall;
  readonly text: string;
}

/** True if the call would end its session, as far as the names of the built-in exits say so. */
export function isExitCall({ name, arguments: given }: ToolCall): boolean {
  if (name !== TEAM_BROADCAST) return EXIT_NAMES.has(name);
  return (given as { readonly then?: unknown } | null)?.then !== 'continue';
}

const TEAM_BROADCAST = 'team_broadcast';
export const EXIT_NAMES: ReadonlySet<string> = new Set([FINAL_REPORT, 'handoff-to', TEAM_BROADCAST]);

/** These ask about the state and do nothing. */
const QUESTIONS: ReadonlySet<string> = new Set(['take', 'clock', 'runs', 'preview', 'begin', 'announce', 'parallel']);

export const openReply = (facts: ReplyFacts): OpenReply => new OpenReply(facts);

export class OpenReply implements ReplyFacts {
  readonly path: OpPath;
  readonly place: OpPath;
  readonly agent: string;
  readonly at: number;
  readonly calls: readonly ToolCall[];
  readonly offered: readonly string[];
  /** The ops that followed. */
  #followed: (OpStart | InstantOp)[] | undefined;
  /** The calls that something was done for. They are worked out when somebody asks, and few replies are asked about. */
  #done: DoneCalls | undefined;
  /** Calls whose refusal an op has told. */
  #told: Set<string> | undefined;
  #refusedPosts = 0;

  constructor({ path, place, agent, at, calls, offered }: ReplyFacts) {
    this.path = path;
    this.place = place;
    this.agent = agent;
    this.at = at;
    this.calls = calls;
    this.offered = offered;
  }

  begin(event: OpStart): void {
    this.#follow(event);
  }

  did(event: InstantOp, refused: OpRefusal | undefined): void {
    const { kind } = event;
    if (kind === 'post' && refused !== undefined) this.#refusedPosts++;
    if (kind === 'preview' && refused?.call !== undefined) (this.#told ??= new Set()).add(refused.call);
    if (!QUESTIONS.has(kind)) this.#follow(event);
  }

  #follow(event: OpStart | InstantOp): void {
    if (this.calls.length === 0) return;
    (this.#followed ??= []).push(event);
    this.#done = undefined;
  }

  /** Calls whose result is an error that no op holds. */
  errors(added: readonly StoredMessage[]): readonly CallError[] {
    if (!added.some(isError)) return NO_ERRORS;
    const open = this.calls.map((call, index) => ({ call, index }));
    return added.flatMap((message) => {
      if (message.role !== 'tool') return [];
      const at = open.findIndex(({ call }) => call.id === message.call && call.name === message.name);
      const [one] = at < 0 ? [] : open.splice(at, 1);
      return one === undefined || !isError(message) ? [] : [{ ...one, text: message.result.text }];
    });
  }

  /** The reason why it was not made, if it was not and nobody has said so yet. */
  reasonIfRefused(index: number, text: string): string | undefined {
    const call = this.calls[index];
    if (call === undefined || this.#told?.has(call.id) === true || this.isDone(index)) return undefined;
    if (call.name === TEAM_BROADCAST && this.#refusedPosts > 0) {
      this.#refusedPosts--;
      return undefined;
    }
    return call.name === 'sessions_result' && text.startsWith('outcome: ') ? undefined : text;
  }

  isDone(index: number): boolean {
    const call = this.calls[index];
    if (call === undefined || isExitCall(call)) return false;
    this.#done ??= new DoneCalls(this, this.#followed ?? []);
    return this.#done.has(call, index);
  }
}

/** The calls of a reply that something was done for. */
class DoneCalls {
  readonly #reply: ReplyFacts;
  /** The places of the calls that do not end the session. */
  readonly #working: readonly number[];
  readonly #ids = new Set<string>();
  readonly #branches = new Set<number>();
  #isAlone = false;

  constructor(reply: ReplyFacts, followed: readonly (OpStart | InstantOp)[]) {
    this.#reply = reply;
    this.#working = reply.calls.flatMap((call, index) => (isExitCall(call) ? [] : [index]));
    for (const event of followed) {
      if (event.type === 'op-start') this.#begun(event);
      else this.#did(event);
    }
  }

  has({ id }: ToolCall, index: number): boolean {
    const place = this.#working.indexOf(index);
    return this.#ids.has(id) || this.#branches.has(place) || (this.#isAlone && place === 0);
  }

  #begun({ path, op }: OpStart): void {
    const id = callIdOf(op);
    if (id !== undefined) this.#ids.add(id);
    if (op.kind === 'run' && triggerTraits(op.trigger).isHop) return;
    if (op.kind === 'say' && op.seat !== undefined) return;
    this.#place(path);
  }

  #did({ path, kind }: InstantOp): void {
    const { place } = this.#reply;
    if (kind === 'post' && path.split('.').length === place.split('.').length + 1) return; // of an exit, or of the only call
    this.#place(path);
  }

  /** REPLY-1 */
  #place(path: OpPath): void {
    const [first, branch] = path
      .slice(this.#reply.place.length + 1)
      .split('.')
      .map(Number);
    const model = lastIndex(this.#reply.path);
    if (first === undefined || first <= model) return;
    if (branch === undefined) this.#isAlone = true;
    else if (first === model + 1 && !this.#isAlone) this.#branches.add(branch);
  }
}

/** A result that no op holds, and an error. */
const isError = (message: StoredMessage): message is Extract<StoredMessage, { role: 'tool'; result: unknown }> =>
  message.role === 'tool' && 'result' in message && message.result.status === 'error';

const NO_ERRORS: readonly CallError[] = [];

/** The call that an op is about. */
function callIdOf(op: OpDetail): string | undefined {
  if (op.kind === 'tool') return op.call.id;
  return op.kind === 'approval' ? (op.about as { readonly id?: string } | null)?.id : undefined;
}
