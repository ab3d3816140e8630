// The trace that a run belongs to, in the words of W3C trace context. Trace and spans are named by run and op path, so
// that a resumed run goes on in the same trace, and anyone who knows an op knows its span.

import type { RunId } from './event.ts';
import { digest } from './fingerprint.ts';

export interface TraceContext {
  readonly trace: string;
  /** The outside span that is the parent of the whole run. */
  readonly parent?: string;
  readonly sampled: boolean;
}

/** `traceparent` is what the process was started with. Its starter has begun the trace. */
export function traceOf(run: RunId, traceparent?: string): TraceContext {
  return outerTrace(traceparent) ?? { trace: digest(run).slice(0, 32), sampled: true };
}

function outerTrace(traceparent = ''): TraceContext | undefined {
  const match = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-|$)/.exec(traceparent.trim());
  const [, trace = '', parent = '', flags = '00'] = match ?? [];
  if (match === null || /^0+$/.test(trace) || /^0+$/.test(parent)) return undefined;
  return { trace, parent, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** `what` is an op's path, or more than that where an op has several spans. */
export const spanOf = (run: RunId, what: string): string => digest(`${run}/${what}`).slice(0, 16);

/** The header for a process that works for one op. */
export const traceparentFor = ({ trace, sampled }: TraceContext, span: string): string =>
  `00-${trace}-${span}-${sampled ? '01' : '00'}`;
