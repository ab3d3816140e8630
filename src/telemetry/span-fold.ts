// Folds the events of a run into its spans. A span is reported when its op ends.
// SPAN-1. An op's span is named by run and path, so a resumed run goes on in the same tree.
// SPAN-2. What ended before this process is folded but not reported, because an earlier process did that.
// SPAN-3. Model calls are the ledger's lines, each once, however often an op tried.

import type { OpDetail, OpEnd, OpStart, RunEvent, RunId } from '../journal/event.ts';
import { spanOf, type TraceContext } from '../journal/trace-context.ts';
import { FAULTS } from '../kernel/fault.ts';
import { isBroken, type Outcome } from '../kernel/outcome.ts';
import { type OpPath, ROOT } from '../kernel/path.ts';
import { type LedgerLine, ledgerLineFold } from '../views/costs/calls.ts';
import { Lineage } from '../views/lineage.ts';
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

interface OpenSpan {
  readonly what: string;
  readonly name: string;
  readonly startedAt: number;
  readonly attributes: Attributes;
  /** Driven again when its run is resumed; others are in doubt then. */
  readonly holds: boolean;
}

type SpanEnd = { readonly error?: string; readonly attributes?: Attributes };

export const spanFold = (run: RunId, trace: TraceContext, nameOf: ProviderNames, listener: SpanListener): SpanFold =>
  new SpanFold(run, trace, nameOf, listener);

class SpanFold {
  readonly #run: RunId;
  readonly #trace: TraceContext;
  readonly #nameOf: ProviderNames;
  readonly #listener: SpanListener;
  readonly #open = new Map<OpPath, OpenSpan>();
  readonly #counts = new Map<OpPath, number>();
  readonly #places = new Lineage();
  /** SPAN-3. */
  readonly #calls = ledgerLineFold((line) => this.#call(line));
  #isPast = false;

  constructor(run: RunId, trace: TraceContext, nameOf: ProviderNames, listener: SpanListener) {
    this.#run = run;
    this.#trace = trace;
    this.#nameOf = nameOf;
    this.#listener = listener;
  }

  /** `isPast`: from before this process (SPAN-2). */
  add(event: RunEvent, isPast = false): void {
    this.#isPast = isPast;
    this.#places.add(event);
    this.#calls.add(event);
    switch (event.type) {
      case 'run-start': {
        const attributes = { ...agentAttributes(event.agent), 'cadre.trigger': 'start' };
        const name = `invoke_agent ${event.agent}`;
        this.#open.set(ROOT, { what: ROOT, name, startedAt: event.at, attributes, holds: true });
        return;
      }
      case 'op-start':
        return this.#begin(event);
      case 'op-end':
        return this.#close(event.path, event.at, endingOf(event));
      case 'run-resume':
        return this.#closeAll(event.at, ({ holds }) => !holds);
      case 'run-end': {
        const root = this.#open.get(ROOT);
        this.#closeAll(event.at, (span) => span !== root);
        return this.#close(ROOT, event.at, outcomeEnding(event.outcome));
      }
      default:
    }
  }

  #begin({ path, at, op }: OpStart): void {
    if (op.kind === 'model' || this.#open.has(path)) return; // driven again: it is still the same
    const about = aboutOf(op, this.#places.at(path)?.agent ?? '');
    const what = about.holds ? path : again(path, this.#countOf(path));
    this.#open.set(path, { what, startedAt: at, ...about });
  }

  #close(path: OpPath, endedAt: number, { error, attributes }: SpanEnd): void {
    const span = this.#open.get(path);
    if (span === undefined) return;
    this.#open.delete(path);
    const { name, startedAt, what } = span;
    const all = { ...span.attributes, ...attributes };
    this.#tell(
      path,
      { name, kind: 'internal', startedAt, endedAt, attributes: all, ...(error !== undefined && { error }) },
      what,
    );
  }

  /** Innermost first, so that a parent ends after the spans that it holds. */
  #closeAll(at: number, which: (span: OpenSpan) => boolean): void {
    for (const [path, span] of [...this.#open].reverse()) if (which(span)) this.#close(path, at, IN_DOUBT);
  }

  #call(line: LedgerLine): void {
    const { path, startedAt } = line;
    const what = `${path}#${this.#countOf(path)}`;
    const attributes: Attributes = {
      ...callAttributes(line, this.#nameOf),
      ...usageAttributes(line),
      'gen_ai.agent.name': line.agent,
      'gen_ai.conversation.id': `${this.#run}/${line.session}`,
      'cadre.turn': line.turn,
    };
    const name = `chat ${attributes['gen_ai.request.model'] ?? ''}`.trim();
    const error = line.status === 'ok' ? {} : { error: line.fault ?? 'in doubt: its process died during the call' };
    const endedAt = startedAt + (line.ms ?? 0);
    this.#tell(path, { name, kind: 'client', startedAt, endedAt, attributes, ...error }, what);
    if (!this.#isPast) this.#listener.call(line);
  }

  #tell(path: OpPath, span: Omit<SpanRecord, 'trace' | 'span' | 'parent'>, what: string): void {
    if (this.#isPast) return; // SPAN-2
    const place = what === path ? this.#places.above(path) : (this.#places.at(path) ?? this.#places.above(path));
    const parent = what === ROOT ? this.#trace.parent : spanOf(this.#run, place?.path ?? ROOT);
    this.#listener.span({
      ...span,
      attributes: { ...span.attributes, 'cadre.run.id': this.#run, 'cadre.op.path': path },
      trace: this.#trace.trace,
      span: spanOf(this.#run, what), // SPAN-1
      ...(parent !== undefined && { parent }),
    });
  }

  #countOf(path: OpPath): number {
    const count = (this.#counts.get(path) ?? 0) + 1;
    this.#counts.set(path, count);
    return count;
  }
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
