// The summary of a run, kept up to date event by event. It holds what a list shows and nothing more: a long input is
// cut, its data is left out, and the journal has both whole.
// SUMMARY-1. Its text begins with what sums are made of, so a sum over very many runs reads only the beginning of each:
//            see spent-text.ts.

import type { OpDetail, OpEnd, RunEvent, RunId, RunStart } from '../journal/event.ts';
import { opEndState } from '../journal/op-end-state.ts';
import { type Call, callFold, isUnpriced, roundedUsd } from '../journal/spent.ts';
import type { RunQuery, RunSummary, SpentShare, TakenOver } from '../journal/store.ts';
import type { RunInput } from '../kernel/effect.ts';
import { FaultError, type OutcomeKind } from '../kernel/fault.ts';
import { limitReached } from '../kernel/limit-reached.ts';
import { isBroken, type Outcome } from '../kernel/outcome.ts';
import { type OpPath, ROOT } from '../kernel/path.ts';
import { saneUsage } from '../kernel/usage.ts';
import { Lineage } from '../views/lineage.ts';
import { Refusals } from '../views/tree/refusals.ts';

/** A summary without its state, which is not a matter of the journal alone. */
export interface RecordedSummary extends Omit<RunSummary, 'state' | 'atLeast'> {
  /** Calls that have begun and not ended. They are in doubt if no process works on the run. */
  readonly inFlight: number;
}

type GrowingSums = { -readonly [Field in keyof TakenOver]: TakenOver[Field] };

export interface GrowingSummary extends GrowingSums {
  run: RunId;
  agent: string;
  input: RunInput;
  folder: string;
  startedAt: number;
  label?: string;
  thread?: string;
  continues?: RunId;
  agents: readonly string[];
  endedAt?: number;
  outcome?: OutcomeKind;
  fault?: NonNullable<RunSummary['fault']>;
  stage?: string;
  forkedFrom?: NonNullable<RunStart['forkedFrom']>;
  takenOver?: GrowingSums;
  resumes: number;
  failedBelow: number;
  refused: number;
  spent: readonly SpentShare[];
  waiting: number;
  decided?: number;
  events: number;
  bytes: number;
  inDoubt: number;
  inFlight: number;
}

export const INPUT_SHOWN = 280;
const FAULT_SHOWN = 200;

export const emptySummary = (run: RunId): GrowingSummary => ({
  run,
  agent: '',
  input: { text: '' },
  folder: '',
  startedAt: 0,
  agents: [],
  resumes: 0,
  failedBelow: 0,
  refused: 0,
  calls: 0,
  tokens: { input: 0, output: 0 },
  spent: [],
  waiting: 0,
  events: 0,
  bytes: 0,
  unpriced: 0,
  inDoubt: 0,
  inFlight: 0,
});

/** Adds the events of a run to its summary. */
export interface SummaryFold {
  readonly tally: GrowingSummary;
  /** The store adds the bytes. */
  add(event: RunEvent): void;
}

/** A fold over a tally that is not empty goes on only with what follows an end: it does not know what is under way. */
export function summaryFold(tally: GrowingSummary): SummaryFold {
  let isTakenOver = false;
  const calls = callFold((call, op) => {
    const used = usedBy(call);
    if (isTakenOver) addCall((tally.takenOver ??= { ...NO_CALLS }), used);
    else {
      addCall(tally, used);
      tally.spent = withShare(tally.spent, used, { agent: op.detail.agent, model: call.spent?.model ?? call.model });
      if (call.status === 'in-doubt') tally.inDoubt++;
    }
  });
  const runs = new Lineage();
  const refusals = new Refusals({ call: () => void tally.refused++ }, runs);
  /** The last turn of each agent: of the one that ended the run, it is the one that its limit ended. */
  const turns = new Map<string, number>();
  /** Ops that wait for a person. Absent where there never was one. */
  let waiting: Set<OpPath> | undefined;
  return {
    tally,
    add(event) {
      tally.events++;
      isTakenOver = event.seq < (tally.forkedFrom?.events ?? 0);
      runs.add(event);
      refusals.add(event);
      switch (event.type) {
        case 'run-start':
          return begin(tally, event);
        case 'run-end':
          tally.endedAt = event.at;
          end(tally, event.outcome, turns);
          break;
        case 'op-start':
          takePart(tally, event.op);
          if (event.op.kind === 'model') turns.set(event.op.agent, event.op.turn);
          if (event.op.kind === 'approval') tally.waiting = (waiting ??= new Set()).add(event.path).size;
          break;
        case 'op-end':
          if (event.kind === 'approval' && waiting?.delete(event.path) === true) tally.waiting = waiting.size;
          if (event.kind === 'approval' && event.result.ok) tally.decided = (tally.decided ?? 0) + 1;
          if (isFailure(event)) tally.failedBelow++;
          break;
        case 'run-resume':
          tally.resumes++;
          break;
        case 'op':
        case 'fact':
        case 'control':
          return;
        default:
      }
      calls.add(event);
      tally.inFlight = calls.inFlight;
    },
  };
}

const NO_CALLS: TakenOver = { calls: 0, tokens: { input: 0, output: 0 }, unpriced: 0 };

interface UsedByCall {
  readonly input: number;
  readonly output: number;
  readonly usd: number | undefined;
  readonly unpriced: 0 | 1;
}

function usedBy({ spent, fault }: Call): UsedByCall {
  const { input, output } = (spent?.usage && saneUsage(spent.usage)) ?? NO_USAGE;
  return { input, output, usd: spent?.usd, unpriced: isUnpriced(spent, fault) ? 1 : 0 };
}

const NO_USAGE = { input: 0, output: 0 };

function addCall(sums: GrowingSums, { input, output, usd, unpriced }: UsedByCall): void {
  sums.calls += 1;
  sums.tokens = { input: sums.tokens.input + input, output: sums.tokens.output + output };
  sums.unpriced += unpriced;
  const cost = costWith(sums.usd, usd);
  if (cost !== undefined) sums.usd = cost;
}

const costWith = (usd: number | undefined, more: number | undefined): number | undefined =>
  more === undefined ? usd : (usd ?? 0) + more;

const NO_SHARE: SpentShare = { agent: '', model: '', calls: 0, input: 0, output: 0, unpriced: 0 };

const isShareOf = (share: SpentShare, agent: string, model: string): boolean =>
  share.agent === agent && share.model === model;

/** The shares of a run are few, so a search in a list costs less than a map of each run. */
function withShare(
  shares: readonly SpentShare[],
  used: UsedByCall,
  { agent, model }: Pick<SpentShare, 'agent' | 'model'>,
): readonly SpentShare[] {
  let at = shares.length - 1; // most calls are of the agent that called last
  while (at >= 0 && !isShareOf(shares[at] as SpentShare, agent, model)) at--;
  const before = at < 0 ? NO_SHARE : (shares[at] as SpentShare);
  const calls = before.calls + 1;
  const input = before.input + used.input;
  const output = before.output + used.output;
  const unpriced = before.unpriced + used.unpriced;
  const usd = costWith(before.usd, used.usd);
  const share: SpentShare =
    usd === undefined
      ? { agent, model, calls, input, output, unpriced }
      : { agent, model, calls, input, output, usd, unpriced };
  return at < 0 ? [...shares, share] : shares.with(at, share);
}

const FAILURES: ReadonlySet<string> = new Set(['failed', 'timed-out', 'exhausted', 'over-budget']);

const isFailure = (event: OpEnd): boolean =>
  event.path !== ROOT &&
  (event.kind === 'tool' || event.kind === 'run' || event.kind === 'say') &&
  FAILURES.has(opEndState(event));

function begin(tally: GrowingSummary, start: RunStart): void {
  const { agent, input, at, label, thread, continues, folder, forkedFrom } = start;
  tally.agent = agent;
  tally.folder = folder;
  if (forkedFrom !== undefined) tally.forkedFrom = forkedFrom;
  tally.input = { text: shorten(input.text, INPUT_SHOWN) };
  tally.startedAt = at;
  tally.agents = [agent];
  if (label !== undefined) tally.label = label;
  if (thread !== undefined) tally.thread = thread;
  if (continues !== undefined) tally.continues = continues;
}

function takePart(tally: GrowingSummary, op: OpDetail): void {
  if (op.kind !== 'model' && op.kind !== 'run') return;
  if (!tally.agents.includes(op.agent)) tally.agents = [...tally.agents, op.agent];
}

function end(tally: GrowingSummary, outcome: Outcome, turns: ReadonlyMap<string, number>): void {
  tally.outcome = outcome.kind;
  tally.waiting = 0;
  if (outcome.agent !== undefined) tally.stage = outcome.agent;
  if (!isBroken(outcome)) return;
  const { code, message, stage } = outcome.fault;
  const limit = limitReached(outcome.fault, turns.get(outcome.agent ?? stage ?? tally.agent));
  const short = shorten(message.replaceAll(/\s+/g, ' ').trim(), FAULT_SHOWN);
  tally.fault = { code, message: short, ...(limit !== undefined && { limit }) };
}

const shorten = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

export function summaryOf({ inFlight, usd, takenOver, ...tally }: RecordedSummary, isHeld: () => boolean): RunSummary {
  const state = tally.outcome !== undefined ? 'ended' : isHeld() ? 'running' : 'broken-off';
  const lost = state === 'broken-off' ? inFlight : 0;
  const unpriced = tally.unpriced + lost;
  return {
    ...tally,
    ...(usd !== undefined && { usd: roundedUsd(usd) }),
    ...(takenOver !== undefined && { takenOver: withRoundedUsd(takenOver) }),
    unpriced,
    inDoubt: tally.inDoubt + lost,
    atLeast: unpriced > 0 || inFlight > 0,
    state,
  };
}

const withRoundedUsd = ({ usd, ...rest }: TakenOver): TakenOver => ({
  ...rest,
  ...(usd !== undefined && { usd: roundedUsd(usd) }),
});

/** True if no later event needs an earlier one: only an undo can follow. */
export const isAtRest = ({ outcome }: GrowingSummary | RecordedSummary): boolean => outcome !== undefined;

/** True if this release counted it: an earlier one counted less. */
export const isWhole = ({ refused, spent }: Partial<RecordedSummary>): boolean =>
  Number.isFinite(refused) && Array.isArray(spent);

/** A text of a summary that this release counted has this. */
export const WHOLE_MARK = '"spent":[';

/** SUMMARY-1. Every field is spelled out: each run that ends has such a text, and a copy of the rest costs more than it. */
export function textOfSummary(summary: RecordedSummary | GrowingSummary): string {
  const fields: Record<keyof GrowingSummary, unknown> = {
    run: summary.run,
    startedAt: summary.startedAt,
    outcome: summary.outcome,
    spent: summary.spent,
    folder: summary.folder,
    agent: summary.agent,
    input: summary.input,
    label: summary.label,
    thread: summary.thread,
    continues: summary.continues,
    agents: summary.agents,
    endedAt: summary.endedAt,
    fault: summary.fault,
    stage: summary.stage,
    forkedFrom: summary.forkedFrom,
    takenOver: summary.takenOver,
    resumes: summary.resumes,
    failedBelow: summary.failedBelow,
    refused: summary.refused,
    calls: summary.calls,
    tokens: summary.tokens,
    usd: summary.usd,
    waiting: summary.waiting,
    decided: summary.decided,
    events: summary.events,
    bytes: summary.bytes,
    unpriced: summary.unpriced,
    inDoubt: summary.inDoubt,
    inFlight: summary.inFlight,
  };
  return JSON.stringify(fields);
}

/** Counts a run again. If it cannot be read, the count of an earlier release stays: it must not break a list. */
export async function countAgain(tally: RecordedSummary, events: AsyncIterable<RunEvent>): Promise<RecordedSummary> {
  const fold = summaryFold(emptySummary(tally.run));
  fold.tally.bytes = tally.bytes;
  try {
    for await (const event of events) fold.add(event);
  } catch (thrown) {
    if (!(thrown instanceof FaultError)) throw thrown;
    return { ...tally, refused: 0, spent: [] };
  }
  return fold.tally;
}

/** `asked` gives the whole text that the run was asked, where the summary has only the beginning of it. */
export const fits = (summary: RunSummary, query: RunQuery, asked: () => string): boolean =>
  isSame(summary.state, query.state) &&
  isSame(summary.agent, query.agent) &&
  isSame(summary.outcome, query.outcome) &&
  isSame(summary.label, query.label) &&
  isSame(summary.thread, query.thread) &&
  (query.since === undefined || summary.startedAt >= query.since) &&
  (query.until === undefined || summary.startedAt < query.until) &&
  (query.waiting !== true || summary.waiting > 0) &&
  (query.threaded !== true || summary.thread !== undefined) &&
  (query.text === undefined || hasText(summary, query.text.toLowerCase(), asked));

const isSame = (found: string | undefined, wanted: string | undefined): boolean =>
  wanted === undefined || found === wanted;

function hasText({ input: { text } }: RunSummary, wanted: string, asked: () => string): boolean {
  if (text.toLowerCase().includes(wanted)) return true;
  const isCut = text.length === INPUT_SHOWN && text.endsWith('…');
  return isCut && asked().toLowerCase().includes(wanted);
}

/** True if a run comes after the page before. */
export const isAfter = (run: RunId, { before }: RunQuery): boolean => before === undefined || run < before;

/** Run ids sort by time, so the newest is the greatest. */
export const newestFirst = (left: RunId, right: RunId): number => (left < right ? 1 : left > right ? -1 : 0);
