// The spending of a run that has ended, from the beginning of the text of its summary (SUMMARY-1). Sums over very many runs
// consist of little else, so a text as nearly all are is read without JSON, at a third of the cost.

import type { SpentRun, SpentShare } from '../journal/store.ts';
import type { RecordedSummary } from './summary.ts';

/** Begins what follows in the text: no key before it has this name, and in a string its quotes would be escaped. */
export const AFTER_SPENT = ',"folder":"';

type SpentFields = Pick<RecordedSummary, 'run' | 'startedAt' | 'outcome' | 'spent'>;

/** Undefined for a text that is damaged, of a run that has not ended, or of an earlier release. */
export function spentRunIn(text: string): SpentRun | undefined {
  const usual = usualFields(text);
  if (usual !== undefined) return spentRunOf(usual);
  const end = text.indexOf(AFTER_SPENT);
  const read = end < 0 ? undefined : (parsed(`${text.slice(0, end)}}`) as SpentFields | undefined);
  return Array.isArray(read?.spent) ? spentRunOf(read) : undefined;
}

/** Undefined for a run that has not ended. */
export function spentRunOf({ run, startedAt, outcome, spent }: SpentFields): SpentRun | undefined {
  if (outcome === undefined) return undefined;
  const unpriced = spent.reduce((sum, share) => sum + share.unpriced, 0);
  return { run, startedAt, state: 'ended', outcome, waiting: 0, spent, unpriced, atLeast: unpriced > 0 };
}

const HEAD = /\{"run":"([\w~.-]+)","startedAt":(\d+),"outcome":"([a-z-]+)","spent":\[(\])?/y;
const SHARE =
  /\{"agent":"([^"\\]*)","model":"([^"\\]*)","calls":(\d+),"input":(\d+),"output":(\d+)(?:,"usd":([\d.e+-]+))?,"unpriced":(\d+)\}(?:,|(\]))/y;

/** Undefined where a name has an escaped letter, or a number is not whole that nearly always is. */
function usualFields(text: string): SpentFields | undefined {
  HEAD.lastIndex = 0;
  const head = HEAD.exec(text);
  if (head === null) return undefined;
  const [{ length }, run = '', startedAt, outcome, isEmpty] = head;
  const spent: SpentShare[] = [];
  SHARE.lastIndex = length;
  for (let isLast = isEmpty !== undefined; !isLast; ) {
    const share = SHARE.exec(text);
    if (share === null) return undefined;
    const [, agent = '', model = '', calls, input, output, usd, unpriced, end] = share;
    const counts = { calls: Number(calls), input: Number(input), output: Number(output), unpriced: Number(unpriced) };
    spent.push({ agent, model, ...counts, ...(usd !== undefined && { usd: Number(usd) }) });
    isLast = end !== undefined;
  }
  const isWhole = text.startsWith(AFTER_SPENT, spent.length === 0 ? length : SHARE.lastIndex);
  return isWhole
    ? { run, startedAt: Number(startedAt), outcome: outcome as SpentFields['outcome'] & string, spent }
    : undefined;
}

/** Undefined for a damaged text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return undefined;
    throw thrown;
  }
}
