// One question to a person, by its address, as the page knows it: open, decided, or over without an answer. What is open is
// drawn from the list of approvals, because the events that a page follows have long texts cut; that it is decided follows
// from the run's own events.

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Verdict } from '../../../src/kernel/effect.ts';
import type { ApprovalInfo, ApprovalList } from '../../../src/server/protocol.ts';
import { ApprovalsFold, type DecidedApproval, type WaitingApproval } from '../../../src/views/approvals.ts';
import { getJson } from './api.ts';
import { approvalAt, untaken } from './approvals.ts';
import type { RunData } from './run-data.ts';

export interface AskedAt {
  readonly run: string;
  readonly path: string;
}

export type AskedState =
  /** It is known to wait, and what it asks is on its way. */
  | { readonly kind: 'loading' }
  | { readonly kind: 'open'; readonly asked: ApprovalInfo; readonly isCurrent: boolean }
  | {
      readonly kind: 'decided';
      readonly asked: WaitingApproval;
      readonly verdict: Verdict;
      /** Absent: no process works on the run, which takes it first when it goes on. */
      readonly decidedAt?: number;
      readonly call?: DecidedApproval['call'];
    }
  /** The run ended before it was answered, or stopped asking. */
  | { readonly kind: 'over'; readonly asked: WaitingApproval | undefined }
  | { readonly kind: 'gone' };

interface OwnApprovals {
  readonly waiting: readonly WaitingApproval[];
  readonly settled: readonly DecidedApproval[];
  readonly asked: ReadonlySet<string>;
}

/** The questions of a run as its events tell them. */
export function useOwnApprovals(data: RunData) {
  return useMemo(
    () =>
      data.view(
        askedFold,
        (fold): OwnApprovals => ({
          waiting: fold.waiting(),
          settled: fold.settled(),
          asked: fold.asked,
        }),
      ),
    [data],
  );
}

/** A fold with the paths of all questions ever. */
function askedFold() {
  const fold = new ApprovalsFold();
  const asked = new Set<string>();
  return {
    asked,
    waiting: () => fold.waiting(),
    settled: () => fold.settled(),
    add(event: Parameters<typeof fold.add>[0]) {
      fold.add(event);
      if (event.type === 'op-start' && event.op.kind === 'approval') asked.add(event.path);
    },
  };
}

export function useAsked(at: AskedAt, data: RunData): AskedState {
  const own = useOwnApprovals(data).value;
  /** The question as it was drawn while it was open: it stays, whatever becomes of it. */
  const drawn = useRef<ApprovalInfo | undefined>(undefined);
  const listed = approvalAt(at.run, at.path);
  if (listed !== undefined) drawn.current = listed;
  const settled = own.settled.find(({ path }) => path === at.path);
  const whole = useWholeText(at, settled !== undefined && drawn.current === undefined);
  if (settled !== undefined) {
    const asked = drawn.current ?? whole;
    if (asked === undefined) return { kind: 'loading' };
    return { kind: 'decided', asked, ...verdictOf(settled) };
  }
  const left = untaken.value.find(({ run, path }) => run === at.run && path === at.path);
  if (left !== undefined) return { kind: 'decided', asked: drawn.current ?? left, verdict: left.verdict };
  if (listed !== undefined) return { kind: 'open', asked: listed, isCurrent: true };
  const waits = own.waiting.some(({ path }) => path === at.path);
  if (waits) return drawn.current === undefined ? LOADING : { kind: 'open', asked: drawn.current, isCurrent: false };
  if (own.asked.has(at.path)) return { kind: 'over', asked: drawn.current };
  return data.loading.value.kind === 'loading' || isBehind(data) ? LOADING : { kind: 'gone' };
}

const LOADING: AskedState = { kind: 'loading' };

const isBehind = ({ loading }: RunData): boolean => loading.value.kind === 'ready' && loading.value.behind > 0;

const verdictOf = ({ verdict, decidedAt, call }: DecidedApproval) => ({
  verdict,
  decidedAt,
  ...(call !== undefined && { call }),
});

const MOST = 100;

/** The text of a question that was decided before this page looked at it. */
function useWholeText({ run, path }: AskedAt, isWanted: boolean): WaitingApproval | undefined {
  const [whole, setWhole] = useState<WaitingApproval | undefined>(undefined);
  useEffect(() => {
    setWhole(undefined);
    if (!isWanted) return undefined;
    const gone = new AbortController();
    getJson<ApprovalList>(`/api/approvals?run=${encodeURIComponent(run)}&decided=${MOST}`, gone.signal)
      .then(({ decided = [] }) => setWhole(decided.find((one) => one.path === path)))
      .catch(() => undefined); // the connection says that it is lost
    return () => gone.abort();
  }, [run, path, isWanted]);
  return whole?.path === path ? whole : undefined;
}
