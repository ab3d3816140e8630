// The live leaves of one run: model calls with their attempts, tool calls with their handles, a person's approval.
// LEAF-1. A leaf is a function from an effect to a result. It writes to no journal and to no inbox: it returns all in
//     its result, and what must be recorded on the way goes to the record of its op (`op.record`).

import type { RunId } from '../journal/event.ts';
import type { Journal } from '../journal/journal.ts';
import type { RunStore } from '../journal/store.ts';
import { type CallResult, type PreviewAnswer, questionKey } from '../kernel/approval.ts';
import type { Effect, ModelReply, ModelRequest, Settled, Verdict } from '../kernel/effect.ts';
import { type Fault, FaultError, fault, faultOf } from '../kernel/fault.ts';
import type { ToolCall } from '../kernel/message.ts';
import { NOTHING_SECRET, type Redacted } from '../kernel/redacted.ts';
import type { StopSignal } from '../kernel/stop-signal.ts';
import { isHelper } from '../kernel/subagent.ts';
import type { Delta } from '../models/attempt.ts';
import type { FailedAttempt } from '../models/failover.ts';
import { type Deltas, redactedDeltas } from '../secrets/redacted-deltas.ts';
import { redactedFault, redactedValue } from '../secrets/redacted-value.ts';
import { type InvokeContext, type InvokeLimits, invoke, usualCapBytes } from '../tools/invoke.ts';
import { schemaCheck } from '../tools/json-schema.ts';
import { previewCall } from '../tools/preview.ts';
import type { Tool } from '../tools/tool.ts';
import { childStop, nativeSignal, orAborted } from '../world/abort.ts';
import { live } from '../world/live.ts';
import { redacted } from '../world/redacted.ts';
import type { BackgroundRuns } from '../world/state/background-runs/background-runs.ts';
import type { RunBudget } from '../world/state/budgets.ts';
import type { Inboxes } from '../world/state/inboxes.ts';
import { shownWaiting } from '../world/waiting.ts';
import type { Op, World } from '../world/world.ts';
import { type BroadcastHook, hooked } from './broadcast-hook.ts';
import type { Bus } from './bus.ts';
import { calledTool, callerOf, LONGEST_TIMER } from './called-tool.ts';
import { changeRecorder } from './change-recorder.ts';
import { changedTools, type Offers } from './changed-tools.ts';
import { helpersInProcesses } from './helper/process.ts';
import { withReminder } from './reminder.ts';
import type { Approver, CadreAssembly, ModelListener, TrustedCalls } from './resources.ts';
import type { Verdicts } from './verdicts.ts';

interface LeafParts {
  readonly run: RunId;
  /** The revision of the kernel that began the run. */
  readonly kernel: number;
  readonly assembly: CadreAssembly;
  readonly store: RunStore;
  /** It is read, and never written (LEAF-1). */
  readonly journal: Pick<Journal, 'fact' | 'flush' | 'records' | 'seqOfEnd'>;
  readonly bus: Bus;
  readonly inboxes: Inboxes;
  readonly backgroundRuns: BackgroundRuns;
  readonly verdicts: Verdicts;
  /** Absent if no tools can change. */
  readonly offers: Offers | undefined;
  /** Aborted when a final answer is asked for. */
  readonly graceful: StopSignal;
  /** Models that replace those of the agents' files, if the run says so. */
  readonly models?: readonly string[] | undefined;
  readonly approve: Approver;
  /** Sees what is said to a team before the team does. */
  readonly onBroadcast?: BroadcastHook | undefined;
  now(): number;
}

type ToolEffect = Extract<Effect, { kind: 'tool' }>;
type PreviewEffect = Extract<Effect, { kind: 'preview' }>;

export function leaves(parts: LeafParts): World {
  const world = liveLeaves(parts);
  const { secrets } = parts.assembly;
  return secrets === undefined ? world : redacted(world, secrets);
}

function liveLeaves(parts: LeafParts): World {
  const { offers, onBroadcast } = parts;
  return live({
    callModel: (request, op) => callModel(request, op, parts),
    callTool: (effect, op) => callTool(effect, op, parts),
    previewTool: (effect, op) => previewTool(effect, op, parts),
    askPerson: (prompt, about, op) => askPerson(prompt, about, op, parts),
    helpers: { run: (effect, op) => helpersInProcesses({ ...parts, check: schemaCheck }).run(effect, op) },
    inboxes: onBroadcast === undefined ? parts.inboxes : hooked(parts.inboxes, onBroadcast, parts.run), // HOOK-1
    backgroundRuns: parts.backgroundRuns,
    changedTools: offers === undefined ? undefined : changedTools({ ...parts, offers }),
    now: parts.now,
  });
}

/** The answer may come from here, or from any other process that has the op's address. */
function askPerson(prompt: string, about: unknown, op: Op, { run, verdicts, approve }: LeafParts): Promise<Verdict> {
  const address = { run, op: op.path };
  const signal = nativeSignal(op.signal);
  const question = { op: op.path, key: questionKey(prompt, about) };
  return verdicts.on(question, (until) => approve(prompt, about, until, address), signal);
}

function callModel(request: ModelRequest, op: Op, parts: LeafParts): Promise<Settled<ModelReply>> {
  const { runBudget } = op.scope;
  const replying = parts.assembly.callModel(request, new LiveCall(op, parts), op.signal);
  return runBudget === undefined ? replying : replying.then((reply) => withReminder(reply, request.session, runBudget));
}

/** Shows one model call to those who watch the run, and reports its attempts to the world that records it. */
class LiveCall implements ModelListener {
  readonly runBudget: RunBudget | undefined;
  readonly #op: Op;
  readonly #parts: LeafParts;
  #deltas: Deltas | undefined;

  constructor(op: Op, parts: LeafParts) {
    this.runBudget = op.scope.runBudget;
    this.#op = op;
    this.#parts = parts;
  }

  onDelta(delta: Delta): void {
    this.#deltas ??= this.#openDeltas();
    if (delta.type === 'call-delta') this.#deltas.delta('call', delta.text, delta.name);
    else this.#deltas.delta(delta.type === 'text-delta' ? 'text' : 'reasoning', delta.text);
  }

  onAttempt(failed: FailedAttempt): void | Promise<void> {
    this.#deltas?.end();
    const { secrets } = this.#parts.assembly;
    return this.#op.record?.attempt(secrets === undefined ? failed : redactedValue(failed, secrets));
  }

  /** Redacts a fault before anything of it is recorded, listed or cut. */
  told(fault: Fault): Fault {
    const { secrets } = this.#parts.assembly;
    return secrets === undefined ? fault : redactedFault(fault, secrets, LONGEST_OF_ATTEMPT);
  }

  onReply(): void {
    this.#deltas?.end();
  }

  waiting<Value>(names: readonly string[], work: Promise<Value>): Promise<Value> {
    return shownWaiting(this.#parts.bus.live, { path: this.#op.path, for: 'provider', names }, work);
  }

  #openDeltas(): Deltas {
    const { bus, assembly } = this.#parts;
    const { path } = this.#op;
    return redactedDeltas(
      (type, text, name = '') => bus.live(type === 'call' ? { type, path, name, text } : { type, path, text }),
      bus.isWatched,
      assembly.secrets,
    );
  }
}

/** The longest message of one attempt at one model: a fault may list many. */
const LONGEST_OF_ATTEMPT = 500;

/** Results from this many characters on get a handle, so that they can be moved out of a full conversation. */
const WORTH_A_HANDLE = 400;
async function callTool(effect: ToolEffect, op: Op, parts: LeafParts): Promise<CallResult> {
  const { agent: name, call, source, basis } = effect;
  const agent = callerOf(name, parts);
  const redactor = parts.assembly.secrets ?? NOTHING_SECRET;
  const looked = calledTool(agent, { name: call.name, source }, op.signal, parts);
  const { tool, trusted, isTrusted } = looked instanceof Promise ? await looked : looked;
  if (op.inDoubt === true && tool.repeat === 'never') throw new FaultError(inDoubt(call.name));
  const context = {
    signal: op.signal,
    callKey: `${parts.run}/${op.path}`,
    progress: (text: string) => parts.bus.live({ type: 'progress', path: op.path, text: redactor.redact(text) }),
    redactor,
    ...(basis !== undefined && { basis }),
    isTrusted,
    ...(tool.repeat === 'decided' && { changes: changeRecorder(op, parts) }),
  };
  const limits = {
    timeoutMs: agent.toolTimeoutMs,
    capBytes: usualCapBytes,
    keep: async (text: Redacted) => parts.store.blobs.put(new TextEncoder().encode(text)),
  };
  const result = await invokeTrusted(tool, call, context, { limits, trusted });
  const worthIt = result.handle === undefined && result.text.length >= WORTH_A_HANDLE;
  return worthIt && !isHelper(name) ? { ...result, handle: op.path } : result; // a helper has no read_result
}

/** A call that finds out that a person has to be asked goes on by itself where `trust` names what it found. */
async function invokeTrusted(
  tool: Tool,
  call: ToolCall,
  context: InvokeContext,
  { limits, trusted }: { readonly limits: InvokeLimits; readonly trusted: readonly TrustedCalls[] },
): Promise<CallResult> {
  const { judgedAs, ...result } = await invoke(tool, call, context, limits);
  const basis = result.asks?.basis;
  if (basis === undefined || judgedAs === undefined) return result;
  if (!trusted.some(({ inBrackets }) => tool.trusts?.(inBrackets, judgedAs) === true)) return result;
  return invokeTrusted(tool, call, { ...context, basis }, { limits, trusted });
}

/** Never rejects: what fails is the model's answer, and nobody is asked. */
async function previewTool({ agent: name, call, source }: PreviewEffect, op: Op, parts: LeafParts) {
  const agent = callerOf(name, parts);
  const redactor = parts.assembly.secrets ?? NOTHING_SECRET;
  const late = fault('tool/timeout', `What ${call.name} would do could not be found out in time.`);
  const { signal, unlink } = childStop(op.signal);
  const timer = setTimeout(() => signal.abort(new FaultError(late)), Math.min(agent.toolTimeoutMs, LONGEST_TIMER));
  const look = async (): Promise<PreviewAnswer> => {
    const { tool, trusted } = await calledTool(agent, { name: call.name, source }, signal, parts);
    const yes = trusted.find(({ inBrackets }) => tool.trusts?.(inBrackets, call.arguments) === true);
    if (yes !== undefined) return { kind: 'trusted', by: yes.entry };
    return previewCall(tool, call, { signal: nativeSignal(signal), redactor });
  };
  try {
    return await orAborted(look(), signal);
  } catch (thrown) {
    const { code, message } = faultOf(thrown);
    return { kind: 'refused', text: redactor.redact(`${code}: ${message}`) } satisfies PreviewAnswer;
  } finally {
    clearTimeout(timer);
    unlink();
  }
}

/** The model gets this text, and the record has the code. */
const inDoubt = (name: string): Fault =>
  fault(
    'tool/in-doubt',
    `This call of ${name} had begun when the process died, and its outcome is unknown. ` +
      'It was not made again. Find out whether it took effect before you repeat it.',
  );
