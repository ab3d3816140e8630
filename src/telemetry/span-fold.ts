// Folds the events of a run into its spans. A span is reported when its op ends.
// N1. An op's span is named by run and path, so a resumed run goes on in the same tree.
// N2. What ended before this process is folded but not reported, because an earlier process did that.
// N3. Model calls are the ledger's lines, each once, however often an op tried.

import type { OpDetail, OpEnd, OpStart, RunEvent, RunId } from '../journal/event.ts';
import { spanOf, type TraceContext } from '../journal/trace-context.ts';
import { FAULTS } from '../kernel/fault.ts';
import { isBroken, type Outcome } from '../kernel/outcome.ts';
import { type OpPath, ROOT } from '../kernel/path.ts';
import { type LedgerLine, ledgerLineFold } from '../views/costs/calls.ts';
import { lineage } from '../views/lineage.ts';
import {
  type Attributes,
  agentAttributes,
  callAttributes,
  type ProviderNames,
  toolAttributes,
  usageAttributes,
} from './gen-ai.ts';

export interface SpanRecord {
  readonly trace: string;
  readonly span: string;
  readonly parent?: string;
  readonly name: string;
  /** A model call goes to a server; everything else happens here. */
  readonly kind: 'client' | 'internal';
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly attributes: Attributes;
  /** The reason why it failed. */
  readonly error?: string;
}

export interface SpanListener {
  span(span: SpanRecord): void;
  call(line: LedgerLine): void;
}

interface SpanFold {
  /** `isPast`: from before this process (N2). */
  add(event: RunEvent, isPast?: boolean): void;
}

interface OpenSpan {
  readonly what: string;
  readonly name: string;
  readonly startedAt: number;
  readonly attributes: Attributes;
  /** Driven again when its run is resumed; others are in doubt then. */
  readonly holds: boolean;
}

type SpanEnd = { readonly error?: string; readonly attributes?: Attributes };

export function spanFold(run: RunId, trace: TraceContext, nameOf: ProviderNames, listener: SpanListener): SpanFold {
  const open = new Map<OpPath, OpenSpan>();
  const counts = new Map<OpPath, number>();
  const places = lineage();
  let past = false;

  const tell = (path: OpPath, span: Omit<SpanRecord, 'trace' | 'span' | 'parent'>, what: string): void => {
    if (past) return; // N2
    const place = what === path ? places.above(path) : (places.at(path) ?? places.above(path));
    const parent = what === ROOT ? trace.parent : spanOf(run, place?.path ?? ROOT);
    const attributes = { ...span.attributes, 'cadre.run.id': run, 'cadre.op.path': path };
    listener.span({
      ...span,
      attributes,
      trace: trace.trace,
      span: spanOf(run, what), // N1
      ...(parent !== undefined && { parent }),
    });
  };
  const countOf = (path: OpPath): number => {
    const count = (counts.get(path) ?? 0) + 1;
    counts.set(path, count);
    return count;
  };
  /** N3. */
  const calls = ledgerLineFold((line) => {
    const what = `${line.path}#${countOf(line.path)}`;
    const attributes: Attributes = {
      ...callAttributes(line, nameOf),
      ...usageAttributes(line),
      'gen_ai.agent.name': line.agent,
      'gen_ai.conversation.id': `${run}/${line.session}`,
      'cadre.turn': line.turn,
    };
    const { startedAt } = line;
    const name = `chat ${attributes['gen_ai.request.model'] ?? ''}`.trim();
    const error = line.status === 'ok' ? {} : { error: line.fault ?? 'in doubt: its process died during the call' };
    tell(
      line.path,
      { name, kind: 'client', startedAt, endedAt: startedAt + (line.ms ?? 0), attributes, ...error },
      what,
    );
    if (!past) listener.call(line);
  });

  const begin = ({ path, at, op }: OpStart): void => {
    if (op.kind === 'model' || open.has(path)) return; // driven again: it is still the same
    const about = aboutOf(op, places.at(path)?.agent ?? '');
    const what = about.holds ? path : again(path, countOf(path));
    open.set(path, { what, startedAt: at, ...about });
  };
  const close = (path: OpPath, endedAt: number, { error, attributes }: SpanEnd): void => {
    const span = open.get(path);
    if (span === undefined) return;
    open.delete(path);
    const { name, startedAt, what } = span;
    const all = { ...span.attributes, ...attributes };
    tell(
      path,
      { name, kind: 'internal', startedAt, endedAt, attributes: all, ...(error !== undefined && { error }) },
      what,
    );
  };
  /** Innermost first, so that a parent ends after what it holds. */
  const closeAll = (at: number, which: (span: OpenSpan) => boolean): void => {
    for (const [path, span] of [...open].reverse()) if (which(span)) close(path, at, IN_DOUBT);
  };

  return {
    add(event, isPast = false) {
      past = isPast;
      places.add(event);
      calls.add(event);
      switch (event.type) {
        case 'run-start': {
          const attributes = { ...agentAttributes(event.agent), 'cadre.trigger': 'start' };
          open.set(ROOT, {
            what: ROOT,
            name: `invoke_agent ${event.agent}`,
            startedAt: event.at,
            attributes,
            holds: true,
          });
          return;
        }
        case 'op-start':
          return begin(event);
        case 'op-end':
          return close(event.path, event.at, endingOf(event));
        case 'run-resume':
          return closeAll(event.at, ({ holds }) => !holds);
        case 'run-end': {
          const root = open.get(ROOT);
          closeAll(event.at, (span) => span !== root);
          return close(ROOT, event.at, outcomeEnding(event.outcome));
        }
        default:
      }
    },
  };
}

const IN_DOUBT: SpanEnd = {
  error: 'in doubt: its process died before it ended',
  attributes: { 'error.type': 'in-doubt' },
};

const again = (path: OpPath, count: number): string => (count === 1 ? path : `${path}#${count}`);

function aboutOf(
  op: Exclude<OpDetail, { kind: 'model' }>,
  agent: string,
): Pick<OpenSpan, 'name' | 'attributes' | 'holds'> {
  switch (op.kind) {
    case 'run':
      return {
        name: `invoke_agent ${op.agent}`,
        attributes: { ...agentAttributes(op.agent), 'cadre.trigger': op.trigger.kind },
        holds: true,
      };
    case 'say':
      return {
        name: `invoke_agent ${agent}`,
        attributes: { ...agentAttributes(agent), 'cadre.trigger': op.kind },
        holds: true,
      };
    case 'tool':
      return {
        name: `execute_tool ${op.call.name}`,
        attributes: toolAttributes(op.agent, op.call.name, op.call.id),
        holds: false,
      };
    case 'approval':
      return { name: 'ask_person approve', attributes: {}, holds: false };
    default:
      return { name: op.kind, attributes: {}, holds: false };
  }
}

function endingOf({ kind, result }: OpEnd): SpanEnd {
  if (!result.ok) return faulty(result.fault.code, result.fault.message);
  if (kind === 'run' || kind === 'say') return outcomeEnding(result.value as Outcome);
  const { status } = (result.value ?? {}) as { readonly status?: unknown };
  return status === 'error' ? faulty('tool_error', 'the tool reported an error') : {};
}

function outcomeEnding(outcome: Outcome): SpanEnd {
  const attributes = { 'cadre.outcome': outcome.kind };
  if (!isBroken(outcome)) return { attributes };
  const { code, message } = outcome.fault;
  return { error: message, attributes: { ...attributes, 'error.type': code } };
}

const faulty = (type: string, error: string): SpanEnd => ({
  error,
  attributes: {
    'error.type': type,
    ...(type in FAULTS && { 'cadre.outcome': FAULTS[type as keyof typeof FAULTS].outcome }),
  },
});
