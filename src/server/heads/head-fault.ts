// Faults on their way to a client of a head: the status that tells the client what to do, and what is said about a run
// that gave no answer. Each head puts this into its protocol's own shape.

import { present } from '../../base/text/present.ts';
import type { RunId } from '../../journal/event.ts';
import { FAULTS, type Fault, type FaultCode, FaultError, fault, isRetriable } from '../../kernel/fault.ts';
import type { BrokenOutcome } from '../../kernel/outcome.ts';
import { withoutPaths } from '../problem.ts';
import type { HeadContext } from './head-host.ts';

/**
 * Faults of a provider that are no fault of the client. Their own statuses would tell the client that its token or its
 * request is wrong, when the agent's is.
 */
const BEHIND: ReadonlySet<FaultCode> = new Set([
  'model/refused-key',
  'model/missing-key',
  'model/bad-request',
  'model/unknown',
  'tool/unknown',
  'config/unset-variable',
]);

export interface HeadFault {
  readonly status: number;
  readonly code: FaultCode;
  readonly message: string;
  /** Another try may help. Clients try again by themselves unless they are told not to. */
  readonly again: boolean;
  /** The run that did not answer, how it ended, and what it had written. */
  readonly run?: RunId;
  readonly outcome?: BrokenOutcome['kind'];
  readonly partial?: string;
}

/** A request that no run was started for, or whose run this process has left. */
export function refusal(fault: Fault): HeadFault {
  const { left } = (fault.details ?? {}) as { readonly left?: { readonly run: RunId; readonly again: boolean } };
  return {
    status: FAULTS[fault.code].http,
    code: fault.code,
    message: fault.message,
    again: left?.again ?? isRetriable(fault),
    ...(left && { run: left.run }),
  };
}

/** A run that goes on without this process. `again`: another try of the same request asks for the same run. */
export const leftRun = (run: RunId, again: boolean): FaultError =>
  new FaultError(
    fault(
      'server/draining',
      `This server does not work on run ${run} any more: it is about to end, or another process has taken the run. The run goes on. See: cadre show ${run}`,
      { left: { run, again } satisfies { readonly run: RunId; readonly again: boolean } },
    ),
  );

/** A run that gave no answer. A try of the same request is another run, with its own cost, so none is suggested. */
export function brokenRun(run: RunId, { kind, fault, partial }: BrokenOutcome): HeadFault {
  const status = BEHIND.has(fault.code) ? 502 : FAULTS[fault.code].http;
  const message = `Run ${run} ended as ${kind}: ${fault.message}`;
  return {
    status,
    code: fault.code,
    message,
    again: false,
    run,
    outcome: kind,
    ...present({ partial }),
  };
}

/** Clients of several makers try a failed request again by themselves unless this header says no. */
export const shouldRetry = ({ again }: HeadFault): Readonly<Record<string, string>> => ({
  'x-should-retry': String(again),
});

/** The same without paths and secrets. What is wrong inside the server is told in its log alone. */
export function safeFault(fault: HeadFault, { cadres, folder, redact }: HeadContext): HeadFault {
  if (fault.code === 'internal') return { ...fault, message: 'The server has a defect. Its log has more.' };
  const message = redact(fault.message);
  if (fault.code.startsWith('request/')) return { ...fault, message }; // it speaks of addresses, not of files
  const folders = [folder, ...cadres.all().map((one) => one.folder)];
  return { ...fault, message: withoutPaths(message, folders) };
}
