// The live leaves of one run: model calls with their attempts, tool calls with their handles, a person's approval.
// LEAF-1. A leaf is a function from an effect to a result. It writes to no journal and to no inbox: it returns all in
//     its result, and what must be recorded on the way goes to the record of its op (`op.record`).

import { ASKED_FIRST, type CallResult, type PreviewAnswer, questionKey } from '../kernel/approval.ts';
import type { EffectOf, ModelReply, ModelRequest, SettledResult, Verdict } from '../kernel/effect.ts';
import { type Fault, FaultError, fault, faultOf } from '../kernel/fault.ts';
import type { ToolCall } from '../kernel/message.ts';
import { NOTHING_SECRET, type RedactedText } from '../kernel/redacted.ts';
import { type ServerQuestion, serverQuestionIn } from '../kernel/server-question.ts';
import { signInIn } from '../kernel/sign-in.ts';
import { isHelper } from '../kernel/subagent.ts';
import type { Delta } from '../models/attempt.ts';
import type { FailedAttempt } from '../models/failover.ts';
import { type CallVerdict, hangsOnCall } from '../rules/judge-call.ts';
import { type Deltas, redactedDeltas } from '../secrets/redacted-deltas.ts';
import { redactedFault, redactedValue } from '../secrets/redacted-value.ts';
import { type InvokeContext, type InvokeLimits, invoke, usualCapBytes } from '../tools/invoke.ts';
import { previewCall } from '../tools/preview.ts';
import type { InvokedResult, Tool } from '../tools/tool.ts';
import { childStop, nativeSignal, orAborted } from '../world/abort.ts';
import type { Isolation } from '../world/isolation.ts';
import type { RunBudget } from '../world/run-budget.ts';
import { live } from '../world/stack/live.ts';
import { redactedWorld } from '../world/stack/redacted.ts';
import { shownWaiting } from '../world/waiting.ts';
import type { Op, World } from '../world/world.ts';
import { withHook } from './broadcast-hook.ts';
import { calledTool, callerOf, judgingTool, LONGEST_TIMER } from './called-tool.ts';
import { changeRecorder } from './change-recorder.ts';
import { changedTools } from './changed-tools.ts';
import type { LiveRun } from './driven-run.ts';
import { type JudgedCall, judgedBefore, judgedCall } from './judged-call.ts';
import { type AskBelow, questionsBelow, recordedBelow } from './questions-below.ts';
import { withReminder } from './reminder.ts';
import type { ModelListener } from './resources.ts';
import { askForServer, unfinishedBelow } from './server-questions.ts';
import { withShownFiles } from './shown-by-tool.ts';
import { signedIn } from './signed-in.ts';

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

  readonly bytesOf = (digest: string): Promise<Uint8Array> => fileBytes(digest, this.#run);

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

/** Results from this many characters on get a handle, so that they can be moved out of a full conversation. */
const WORTH_A_HANDLE = 400;
/** The end of a command's output that a session hears of when its answer was not good. */
const JUDGED_BYTES = 8 * 1024;

function callTool(effect: EffectOf<'tool'>, op: Op, run: LiveRun): Promise<CallResult> {
  const ask = questionsBelow(op, run.journal, { where: 'in a call', signal: op.signal });
  return signedIn(() => callOnce(effect, op, run, ask), ask);
}

async function callOnce(effect: EffectOf<'tool'>, op: Op, run: LiveRun, ask: AskBelow): Promise<CallResult> {
  const { agent: name, call, source, basis, trigger } = effect;
  const judges = trigger?.kind === 'judge';
  const agent = callerOf(name, run);
  const redactor = run.cadre.secrets ?? NOTHING_SECRET;
  const looked = judges ? judgingTool(agent, run) : calledTool(agent, { name: call.name, source }, op.signal, run);
  const { tool, rules, address } = looked instanceof Promise ? await looked : looked;
  if (isInDoubt(op, run) && tool.repeat === 'never' && !judges) throw new FaultError(inDoubt(call.name));
  const judged = rules === undefined ? undefined : await judgedCall(tool, call, rules, basis);
  const context = {
    signal: op.signal,
    callKey: `${run.start.run}/${op.path}`,
    progress: (text: string) => run.bus.live({ type: 'progress', path: op.path, text: redactor.redact(text) }),
    redactor,
    ...(basis !== undefined && basis !== ASKED_FIRST && { basis }),
    ...judged?.context,
    ask: (question: ServerQuestion, until: AbortSignal) =>
      askForServer(question, until, { ask, secrets: run.cadre.secrets }),
    ...(op.inDoubt && { unfinished: unfinishedBelow(op.path, run.journal.records) }),
    ...(judges && { judges }),
    ...(tool.repeat === 'decided' && { changes: changeRecorder(op, run) }),
  };
  const limits = {
    timeoutMs: agent.toolTimeoutMs,
    capBytes: judges ? JUDGED_BYTES : usualCapBytes,
    keep: async (text: RedactedText) => run.environment.store.blobs.put(new TextEncoder().encode(text)),
  };
  const { files, ...invoked } = await invokeJudged(tool, call, context, { limits, judged });
  const result = files === undefined ? invoked : await withShownFiles(invoked, files, { agent, op, run });
  if (result.asks !== undefined) return address === undefined ? result : { ...result, source: address };
  const worthIt = result.handle === undefined && result.text.length >= WORTH_A_HANDLE && !isHelper(name); // a helper has no read_result
  const rule = judged?.rule;
  if (!worthIt && rule === undefined) return result;
  return { ...result, ...(worthIt && { handle: op.path }), ...(rule !== undefined && { rule }) };
}

/** A call that waited for a sign-in, or between two parts of it, when the process died was not under way. */
function isInDoubt({ inDoubt, path }: Op, { journal: { records } }: LiveRun): boolean {
  if (!inDoubt) return false;
  const latest = recordedBelow(path, records, 'in a call').at(-1);
  if (latest === undefined || latest.isAnswered) return true;
  return signInIn(latest.about) === undefined && serverQuestionIn(latest.about)?.unfinished === undefined;
}

/** A call that finds out that a person has to be asked goes on by itself where the rules let what it found. */
async function invokeJudged(
  tool: Tool,
  call: ToolCall,
  context: InvokeContext,
  { limits, judged }: { readonly limits: InvokeLimits; readonly judged: JudgedCall | undefined },
): Promise<Omit<InvokedResult, 'judgedAs'>> {
  const made = await invoke(tool, call, context, limits);
  if (made.judgedAs === undefined) return made;
  const { judgedAs, ...result } = made;
  const basis = result.asks?.basis;
  if (basis === undefined || judged === undefined) return result;
  const { kind } = await judged.again(judgedAs);
  return kind === 'asks' ? result : invokeJudged(tool, call, { ...context, basis }, { limits, judged });
}

/** The verdict on a tool that no rule means. It is previewed because it asks. */
const ASKS: CallVerdict = { kind: 'asks' };

/** Never rejects: what fails is the model's answer, and nobody is asked. */
async function previewTool({ agent: name, call, source, trigger }: EffectOf<'preview'>, op: Op, run: LiveRun) {
  const agent = callerOf(name, run);
  const redactor = run.cadre.secrets ?? NOTHING_SECRET;
  const late = fault('tool/timeout', `What ${call.name} would do could not be found out in time.`);
  const { signal, unlink } = childStop(op.signal);
  const timer = setTimeout(() => signal.abort(new FaultError(late)), Math.min(agent.toolTimeoutMs, LONGEST_TIMER));
  const look = async (): Promise<PreviewAnswer> => {
    const { tool, rules } = await (trigger?.kind === 'judge'
      ? judgingTool(agent, run)
      : calledTool(agent, { name: call.name, source }, signal, run));
    const { kind, rule } = rules === undefined ? ASKS : await judgedBefore(tool, call, rules);
    const by = rule?.entry ?? '';
    if (kind === 'free') return { kind };
    if (kind !== 'asks') return { kind, by };
    if (tool.preview === undefined) return { kind, by };
    const answer = await previewCall(tool, call, { signal: nativeSignal(signal), redactor });
    const isMarked = answer.kind === 'shown' && rules !== undefined && hangsOnCall(rules);
    return isMarked ? { ...answer, preview: { basis: ASKED_FIRST, ...answer.preview } } : answer;
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
