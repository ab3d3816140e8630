// The live leaves of one run: model calls with their attempts, tool calls (`tool-calls.ts`), a person's approval.
// LEAF-1. A leaf is a function from an effect to a result. It writes to no journal and to no inbox: it returns all in
//     its result, and what must be recorded on the way goes to the record of its op (`op.record`).

import { questionKey } from '../kernel/approval.ts';
import type { ModelReply, ModelRequest, SettledResult, Verdict } from '../kernel/effect.ts';
import { type Fault, FaultError, fault } from '../kernel/fault.ts';
import type { Delta } from '../models/attempt.ts';
import type { FailedAttempt } from '../models/failover.ts';
import { type Deltas, redactedDeltas } from '../secrets/redacted-deltas.ts';
import { redactedFault, redactedValue } from '../secrets/redacted-value.ts';
import { nativeSignal } from '../world/abort.ts';
import type { Isolation } from '../world/isolation.ts';
import type { RunBudget } from '../world/run-budget.ts';
import { live } from '../world/stack/live.ts';
import { redactedWorld } from '../world/stack/redacted.ts';
import { shownWaiting } from '../world/waiting.ts';
import type { Op, World } from '../world/world.ts';
import { withHook } from './broadcast-hook.ts';
import { changedTools } from './changed-tools.ts';
import type { LiveRun } from './driven-run.ts';
import { withReminder } from './reminder.ts';
import type { ModelListener } from './resources.ts';
import { callTool, previewTool } from './tool-calls.ts';

/** The leaves of a run, and what they bring loses its secrets before anybody sees it. */
export function leavesOf(run: LiveRun): World {
  const { secrets } = run.cadre;
  return secrets === undefined ? liveLeaves(run) : redactedWorld(liveLeaves(run), secrets);
}

function liveLeaves(run: LiveRun): World {
  const { inboxes, backgroundRuns } = run.state;
  const { host, now } = run.environment;
  const { onBroadcast } = host;
  return live({
    callModel: (request, op) => callModel(request, op, run),
    callTool: (effect, op) => callTool(effect, op, run),
    previewTool: (effect, op) => previewTool(effect, op, run),
    askPerson: (prompt, about, op) => askPerson(prompt, about, op, run),
    inboxes: onBroadcast === undefined ? inboxes : withHook(inboxes, onBroadcast, run.start.run), // HOOK-1
    backgroundRuns,
    changedTools: changedTools(run),
    now,
  });
}

/** The answer may come from here, or from any other process that has the op's address. */
function askPerson(prompt: string, about: unknown, op: Op, { start, state, environment }: LiveRun): Promise<Verdict> {
  const address = { run: start.run, op: op.path };
  const signal = nativeSignal(op.signal);
  const question = { op: op.path, key: questionKey(prompt, about) };
  return state.verdicts.on(question, (until) => environment.approve(prompt, about, until, address), signal);
}

function callModel(request: ModelRequest, op: Op, run: LiveRun): Promise<SettledResult<ModelReply>> {
  const { runBudget } = op.scope;
  const asked = run.cadre.resources.callModel(request, new LiveCall(op, run), op.signal);
  const replying = request.compact === undefined ? asked : asked.then((reply) => withHandle(reply, request, run));
  return runBudget === undefined ? replying : replying.then((reply) => withReminder(reply, request.session, runBudget));
}

/** All that was summed up is kept whole, under a handle. */
async function withHandle(
  reply: SettledResult<ModelReply>,
  { messages }: ModelRequest,
  { environment: { store } }: LiveRun,
): Promise<SettledResult<ModelReply>> {
  const [told] = messages;
  if (!reply.ok || told?.role !== 'user') return reply;
  const handle = await store.blobs.put(new TextEncoder().encode(told.text));
  return { ok: true, value: { ...reply.value, handle } };
}

async function fileBytes(digest: string, { start, environment: { store } }: LiveRun): Promise<Uint8Array> {
  const bytes = await store.blobs.get(digest);
  if (bytes !== undefined) return bytes;
  throw new FaultError(fault('journal/corrupt', `The file ${digest} that run ${start.run} came with is gone.`));
}

/** Shows one model call to those who watch the run, and reports its attempts to the world that records it. */
class LiveCall implements ModelListener {
  readonly runBudget: RunBudget | undefined;
  readonly isolation: Isolation | undefined;
  readonly #op: Op;
  readonly #run: LiveRun;
  #deltas: Deltas | undefined;

  constructor(op: Op, run: LiveRun) {
    this.runBudget = op.scope.runBudget;
    this.isolation = op.scope.isolation;
    this.#op = op;
    this.#run = run;
  }

  bytesOf(digest: string): Promise<Uint8Array> {
    return fileBytes(digest, this.#run);
  }

  onDelta(delta: Delta): void {
    this.#deltas ??= this.#openDeltas();
    if (delta.type === 'call-delta') this.#deltas.delta('call', delta.text, delta.name);
    else this.#deltas.delta(delta.type === 'text-delta' ? 'text' : 'reasoning', delta.text);
  }

  onAttempt(failed: FailedAttempt): void | Promise<void> {
    this.#deltas?.end();
    const { secrets } = this.#run.cadre;
    return this.#op.record?.attempt(secrets === undefined ? failed : redactedValue(failed, secrets));
  }

  /** Redacts a fault before anything of it is recorded, listed or cut. */
  told(fault: Fault): Fault {
    const { secrets } = this.#run.cadre;
    return secrets === undefined ? fault : redactedFault(fault, secrets, LONGEST_OF_ATTEMPT);
  }

  onReply(): void {
    this.#deltas?.end();
  }

  waiting<Value>(names: readonly string[], work: Promise<Value>): Promise<Value> {
    return shownWaiting(this.#run.bus.live, { path: this.#op.path, for: 'provider', names }, work);
  }

  #openDeltas(): Deltas {
    const { bus, cadre } = this.#run;
    const { path } = this.#op;
    return redactedDeltas(
      (type, text, name = '') => bus.live(type === 'call' ? { type, path, name, text } : { type, path, text }),
      bus.isWatched,
      cadre.secrets,
    );
  }
}

/** The longest message of one attempt at one model: a fault may list many. */
const LONGEST_OF_ATTEMPT = 500;
