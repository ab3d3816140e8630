// The tool calls of a run: the tool that is called, the rules of its agent, and the handle of a long result.

import { ASKED_FIRST, type CallResult, type PreviewAnswer } from '../kernel/approval.ts';
import type { EffectOf } from '../kernel/effect.ts';
import { type Fault, FaultError, fault, faultOf } from '../kernel/fault.ts';
import type { ToolCall } from '../kernel/message.ts';
import { NOTHING_SECRET, type RedactedText, type Redactor } from '../kernel/redacted.ts';
import {
  type ServerAnswer,
  type ServerQuestion,
  serverQuestionIn,
  type UnfinishedCall,
} from '../kernel/server-question.ts';
import { signInIn } from '../kernel/sign-in.ts';
import type { StopSignal } from '../kernel/stop-signal.ts';
import { isHelper } from '../kernel/subagent.ts';
import { type CallVerdict, hangsOnCall } from '../rules/judge-call.ts';
import { type InvokeContext, type InvokeLimits, invoke, usualCapBytes } from '../tools/invoke.ts';
import { previewCall } from '../tools/preview.ts';
import type { ChangeRecorder, InvokedResult, Tool } from '../tools/tool.ts';
import { childStop, nativeSignal, orAborted } from '../world/abort.ts';
import type { Op } from '../world/world.ts';
import { calledTool, callerOf, judgingTool, LONGEST_TIMER } from './called-tool.ts';
import { changeRecorder } from './change-recorder.ts';
import type { LiveRun } from './driven-run.ts';
import { type JudgedCall, judgedBefore, judgedCall } from './judged-call.ts';
import { type AskBelow, questionsBelow, recordedBelow } from './questions-below.ts';
import { askForServer, unfinishedBelow } from './server-questions.ts';
import { withShownFiles } from './shown-by-tool.ts';
import { signedIn } from './signed-in.ts';
import { usesServers } from './uses-servers.ts';

/** Results from this many characters on get a handle, so that they can be moved out of a full conversation. */
const WORTH_A_HANDLE = 400;
/** The end of a command's output that a session hears of when its answer was not good. */
const JUDGED_BYTES = 8 * 1024;

/** Only a server wants a sign-in. */
export function callTool(effect: EffectOf<'tool'>, op: Op, run: LiveRun): Promise<CallResult> {
  const means = new CallMeans(effect, op, run);
  if (!usesServers(callerOf(effect.agent, run))) return callOnce(effect, means, op, run);
  return signedIn(() => callOnce(effect, means, op, run), means.asking);
}

async function callOnce(effect: EffectOf<'tool'>, means: CallMeans, op: Op, run: LiveRun): Promise<CallResult> {
  const { call, source, trigger } = effect;
  const judges = trigger?.kind === 'judge';
  const agent = callerOf(effect.agent, run);
  const looked = judges ? judgingTool(agent, run) : calledTool(agent, { name: call.name, source }, op.signal, run);
  const { tool, rules, address } = looked instanceof Promise ? await looked : looked;
  if (isInDoubt(op, run) && tool.repeat === 'never' && !judges) throw new FaultError(inDoubt(call.name));
  const judging = rules && judgedCall(tool, call, rules, effect.basis);
  const judged = judging instanceof Promise ? await judging : judging;
  means.begin(tool, effect, judged);
  const made = await invoke(tool, call, means, means);
  const told = made.judgedAs === undefined ? made : await goneOn(made, { tool, call, means, judged });
  const result = told.files === undefined ? told : await withFiles(told, { agent, op, run });
  if (result.asks !== undefined) return address === undefined ? result : { ...result, source: address };
  const worthIt = result.handle === undefined && result.text.length >= WORTH_A_HANDLE && !isHelper(effect.agent); // a helper has no read_result
  const rule = judged?.rule;
  if (!worthIt && rule === undefined) return result;
  return { ...result, ...(worthIt && { handle: op.path }), ...(rule !== undefined && { rule }) };
}

/** The means of one call: what its tool may use, and the limits of its result. A class, because each call has one. */
class CallMeans implements InvokeContext, InvokeLimits {
  readonly #op: Op;
  readonly #run: LiveRun;
  #ask: AskBelow | undefined;
  readonly signal: StopSignal;
  readonly timeoutMs: number;
  readonly judges: true | undefined;
  /** The state that the person saw who said yes. A session that asked about none has ASKED_FIRST, which tools do not see. */
  basis: string | undefined;
  isTrusted: boolean | undefined;
  admits: InvokeContext['admits'];
  changes: ChangeRecorder | undefined;

  constructor({ agent, trigger }: EffectOf<'tool'>, op: Op, run: LiveRun) {
    this.#op = op;
    this.#run = run;
    this.signal = op.signal;
    this.timeoutMs = callerOf(agent, run).toolTimeoutMs;
    this.judges = trigger?.kind === 'judge' ? true : undefined;
  }

  /** The tool is known now, and the verdict on the call. */
  begin({ repeat }: Tool, { basis }: EffectOf<'tool'>, judged: JudgedCall | undefined): void {
    this.basis = basis === ASKED_FIRST ? undefined : basis;
    this.isTrusted = judged?.context.isTrusted;
    this.admits = judged?.context.admits;
    if (repeat === 'decided') this.changes = changeRecorder(this.#op, this.#run);
  }

  get callKey(): string {
    return `${this.#run.start.run}/${this.#op.path}`;
  }

  get redactor(): Redactor {
    return this.#run.cadre.secrets ?? NOTHING_SECRET;
  }

  get capBytes(): number {
    return this.judges ? JUDGED_BYTES : usualCapBytes;
  }

  /** The call that waited for an answer when the process died. */
  get unfinished(): UnfinishedCall | undefined {
    return this.#op.inDoubt ? unfinishedBelow(this.#op.path, this.#run.journal.records) : undefined;
  }

  progress(text: string): void {
    this.#run.bus.live({ type: 'progress', path: this.#op.path, text: this.redactor.redact(text) });
  }

  keep(text: RedactedText): Promise<string> {
    return this.#run.environment.store.blobs.put(new TextEncoder().encode(text));
  }

  ask(question: ServerQuestion, until: AbortSignal): Promise<ServerAnswer> {
    return askForServer(question, until, { ask: this.asking, secrets: this.#run.cadre.secrets });
  }

  /** Asks a person below the call. Few calls do. */
  readonly asking: AskBelow = (asked, until) => {
    this.#ask ??= questionsBelow(this.#op, this.#run.journal, { where: 'in a call', signal: this.signal });
    return this.#ask(asked, until);
  };
}

/** A call that waited for a sign-in, or between two parts of it, when the process died was not under way. */
function isInDoubt({ inDoubt, path }: Op, { journal: { records } }: LiveRun): boolean {
  if (!inDoubt) return false;
  const latest = recordedBelow(path, records, 'in a call').at(-1);
  if (latest === undefined || latest.isAnswered) return true;
  return signInIn(latest.about) === undefined && serverQuestionIn(latest.about)?.unfinished === undefined;
}

/** A call that finds out that a person has to be asked goes on by itself where the rules let what it found. */
async function goneOn(
  { judgedAs, ...result }: InvokedResult,
  {
    tool,
    call,
    means,
    judged,
  }: {
    readonly tool: Tool;
    readonly call: ToolCall;
    readonly means: CallMeans;
    readonly judged: JudgedCall | undefined;
  },
): Promise<InvokedResult> {
  const basis = result.asks?.basis;
  if (basis === undefined || judged === undefined) return result;
  const { kind } = await judged.again(judgedAs);
  if (kind === 'asks') return result;
  means.basis = basis;
  const made = await invoke(tool, call, means, means);
  return made.judgedAs === undefined ? made : goneOn(made, { tool, call, means, judged });
}

const withFiles = (
  { files = [], ...result }: InvokedResult,
  shown: Parameters<typeof withShownFiles>[2],
): Promise<InvokedResult> => withShownFiles(result, files, shown);

/** The verdict on a tool that no rule means. It is previewed because it asks. */
const ASKS: CallVerdict = { kind: 'asks' };

/** Never rejects: what fails is the model's answer, and nobody is asked. */
export async function previewTool(
  { agent: name, call, source, trigger }: EffectOf<'preview'>,
  op: Op,
  run: LiveRun,
): Promise<PreviewAnswer> {
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
