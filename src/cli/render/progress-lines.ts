// Progress for screens that cannot be redrawn, and for logs: one line for each step that a person cares about.

import type { OpDetail, RunEvent } from '../../journal/event.ts';
import type { ModelReply } from '../../kernel/effect.ts';
import type { ToolResult } from '../../kernel/message.ts';
import { describe, type Outcome } from '../../kernel/outcome.ts';
import type { OpPath } from '../../kernel/path.ts';
import * as amounts from './amounts.ts';
import { fit, oneLine } from './width.ts';

interface Begun {
  readonly op: OpDetail;
  readonly at: number;
}

const LONGEST = 160;

/** The line that an event is worth, if any. Keeps count of what has begun. */
export function progressLines(): (event: RunEvent) => string | undefined {
  const begun = new Map<OpPath, Begun>();
  return (event) => {
    switch (event.type) {
      case 'run-start':
        return `${event.agent} started, run ${event.run}`;
      case 'run-resume':
        return 'resumed';
      case 'op-start':
        begun.set(event.path, { op: event.op, at: event.at });
        return startLine(event.op);
      case 'attempt': {
        const { then, fault } = event;
        const next = then.kind === 'retry' ? `again in ${amounts.duration(then.delayMs)}` : thenWords(then);
        return fit(`${agentOf(begun.get(event.path)?.op)} ${oneLine(fault.message)}: ${next}`, LONGEST);
      }
      case 'op-end': {
        const known = begun.get(event.path);
        begun.delete(event.path);
        if (known === undefined) return undefined;
        const line = endLine(known.op, event.result, amounts.duration(event.at - known.at));
        return line && fit(line, LONGEST);
      }
      default:
        return undefined;
    }
  };
}

const thenWords = (then: { readonly kind: 'failover'; readonly to: string } | { readonly kind: 'give-up' }): string =>
  then.kind === 'failover' ? `${then.to} takes over` : 'given up';

function startLine(op: OpDetail): string | undefined {
  switch (op.kind) {
    case 'run':
      return `${op.agent} started (${op.trigger.kind})`;
    case 'tool':
      return fit(`${op.agent} calls ${op.call.name} ${oneLine(JSON.stringify(op.call.arguments) ?? '')}`, LONGEST);
    case 'signal':
      return fit(`waiting for a person: ${oneLine(op.prompt)}`, LONGEST);
    case 'say':
      return fit(`session ${op.session} is asked: ${oneLine(op.text)}`, LONGEST);
    case 'subagent':
      return fit(`${op.agent} delegates: ${oneLine(op.preview)}`, LONGEST);
    default:
      return undefined;
  }
}

type Result = Extract<RunEvent, { type: 'op-end' }>['result'];

function endLine(op: OpDetail, result: Result, took: string): string | undefined {
  if (!result.ok) return `${agentOf(op)} ${op.kind} failed after ${took}: ${oneLine(result.fault.message)}`;
  switch (op.kind) {
    case 'model': {
      const { message, spent } = result.value as ModelReply;
      const calls = message.calls.map(({ name }) => name).join(', ');
      const used =
        spent.usage === undefined ? '' : `, ${amounts.tokens(spent.usage.input + spent.usage.output)} tokens`;
      const did = calls === '' ? `wrote ${amounts.plural(message.text.length, 'character')}` : `wants ${calls}`;
      return `${op.agent} turn ${op.turn}: ${did} (${took}${used})`;
    }
    case 'tool':
      if ((result.value as ToolResult).status === 'ok') return undefined;
      return `${op.agent} ${op.call.name} failed: ${oneLine((result.value as ToolResult).text)}`;
    case 'run':
      return `${op.agent} ${oneLine(describe(result.value as Outcome))} (${took})`;
    default:
      return undefined;
  }
}

const agentOf = (op: OpDetail | undefined): string => (op !== undefined && 'agent' in op ? op.agent : 'run');
