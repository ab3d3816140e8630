// Progress for screens that cannot be redrawn, and for logs: one line for each step that a person cares about.

import type { ControlTaken, InstantOp, OpDetail, OpResult, RunEvent } from '../../journal/event.ts';
import type { ModelReply, Verdict } from '../../kernel/effect.ts';
import type { ToolResult } from '../../kernel/message.ts';
import { describe, isBroken, type Outcome } from '../../kernel/outcome.ts';
import type { OpPath } from '../../kernel/path.ts';
import { personWord } from '../../kernel/person-words.ts';
import { endState, type SpawnId } from '../../kernel/spawned.ts';
import { judgeVerdict } from '../../patterns/repeat/verdict.ts';
import * as amounts from '../../views/amounts.ts';
import { controlWords } from '../../views/control-words.ts';
import { Lineage } from '../../views/lineage.ts';
import { replacedWords } from '../../views/replaced-words.ts';
import { triggerWords } from '../../views/step-words.ts';
import { Refusals, type RefusedCall } from '../../views/tree/refusals.ts';
import { acceptedSpawns, type SpawnNames, spawnNames } from '../../views/tree/spawn-names.ts';
import { namesHere } from '../screen/reader.ts';
import { cutToWidth, oneLine } from './width.ts';

const LONGEST = 160;

/** The lines for an event, if it deserves one. Keeps track of what has begun. */
export function progressLines(): (event: RunEvent) => string | undefined {
  const begun = new Map<OpPath, { readonly op: OpDetail; readonly at: number }>();
  const names = spawnNames();
  const runs = new Lineage();
  const refused: string[] = [];
  const refusals = new Refusals({ call: (one) => refused.push(refusedLine(one)) }, runs);
  const lineOf = (event: RunEvent): string | undefined => {
    switch (event.type) {
      case 'run-start':
        return `${event.agent} started, run ${event.run}`;
      case 'run-resume':
        return 'resumed';
      case 'control':
        return cutToWidth(controlLine(event), LONGEST);
      case 'op-start':
        begun.set(event.path, { op: event.op, at: event.at });
        return startLine(event.op, names);
      case 'op':
        return instantLine(event, names);
      case 'attempt': {
        const { then, fault } = event;
        const next = then.kind === 'retry' ? `again in ${amounts.duration(then.delayMs)}` : thenWords(then);
        return cutToWidth(`${agentOf(begun.get(event.path)?.op)} ${oneLine(fault.message)}: ${next}`, LONGEST);
      }
      case 'op-end': {
        const known = begun.get(event.path);
        begun.delete(event.path);
        if (known === undefined) return undefined;
        const line = endLine(known.op, event.result, amounts.duration(event.at - known.at), names);
        return line && cutToWidth(line, LONGEST);
      }
      default:
        return undefined;
    }
  };
  return (event) => {
    names.add(event);
    runs.add(event);
    refusals.add(event);
    const line = lineOf(event);
    const lines = [...refused.splice(0), ...(line === undefined ? [] : [line])];
    return lines.length === 0 ? undefined : lines.join('\n');
  };
}

const refusedLine = ({ agent, name, why }: RefusedCall): string =>
  cutToWidth(`${agent} called ${oneLine(name)}, refused: ${oneLine(why)}`, LONGEST);

/** A message to the run, in one line. */
export function controlLine({ message, refused }: Pick<ControlTaken, 'message' | 'refused'>): string {
  if (refused !== undefined) return `not taken: ${oneLine(refused)}`;
  return oneLine(controlWords(message, namesHere()));
}

const thenWords = (then: { readonly kind: 'failover'; readonly to: string } | { readonly kind: 'give-up' }): string =>
  then.kind === 'failover' ? `${then.to} takes over` : 'given up';

function startLine(op: OpDetail, names: SpawnNames): string | undefined {
  switch (op.kind) {
    case 'run':
      return op.trigger.spawned === undefined
        ? `${op.agent} started (${oneLine(triggerWords(op.trigger))})`
        : cutToWidth(`${whoRuns(op, names)} started: ${oneLine(op.input.text)}`, LONGEST);
    case 'await-runs': {
      const who = op.by === undefined ? '' : `${names.of(op.by)} `;
      return cutToWidth(`${who}waits for ${op.runs.map(names.of).join(', ')}`, LONGEST);
    }
    case 'tool':
      return cutToWidth(
        `${op.agent} calls ${op.call.name} ${oneLine(JSON.stringify(op.call.arguments) ?? '')}`,
        LONGEST,
      );
    case 'approval':
      return cutToWidth(`waiting for a person: ${oneLine(op.prompt)}`, LONGEST);
    case 'say':
      return cutToWidth(`session ${op.session} is asked: ${oneLine(op.text)}`, LONGEST);
    default:
      return undefined;
  }
}

/** An agent that was spawned is called by its label too. */
function whoRuns({ agent, trigger }: Extract<OpDetail, { kind: 'run' }>, names: SpawnNames): string {
  return trigger.spawned === undefined ? agent : `${agent} ${names.of(trigger.spawned)}`;
}

function instantLine({ kind, detail, value }: InstantOp, names: SpawnNames): string | undefined {
  if (kind === 'spawn') {
    const orders = acceptedSpawns(detail, value).map(({ order }) => order);
    const [first] = orders;
    if (first === undefined) return undefined;
    return cutToWidth(`spawned ${orders.map(({ label }) => label).join(', ')} (${first.agent})`, LONGEST);
  }
  if (kind !== 'announce') return undefined;
  const { run, end } = detail as { readonly run: SpawnId; readonly end?: Outcome };
  const isUnstarted = end !== undefined && isBroken(end) && endState(end) === 'skipped';
  return isUnstarted ? cutToWidth(`${names.of(run)} skipped: ${oneLine(end.fault.message)}`, LONGEST) : undefined;
}

function endLine(op: OpDetail, result: OpResult, took: string, names: SpawnNames): string | undefined {
  const verdict = result.ok ? verdictLine(op, result.value, took) : undefined;
  if (verdict !== undefined) return verdict;
  if (!result.ok) return `${agentOf(op)} ${op.kind} failed after ${took}: ${oneLine(result.fault.message)}`;
  switch (op.kind) {
    case 'model': {
      const { message, spent } = result.value as ModelReply;
      if (op.compact !== undefined) return `${op.agent} summed up ${replacedWords(op.compact)} (${took})`;
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
      return `${whoRuns(op, names)} ${oneLine(describe(result.value as Outcome))} (${took})`;
    case 'approval': {
      const { approved, by, note, scope } = result.value as Verdict;
      const whose = by === undefined ? '' : ` by ${oneLine(personWord(by, namesHere()))}`;
      if (approved)
        return scope === undefined ? undefined : `approved${whose} for the rest of the run: ${oneLine(op.prompt)}`;
      return `denied${whose}: ${oneLine(note ?? op.prompt)}`;
    }
    default:
      return undefined;
  }
}

/** Undefined for what is no judge, and for a judge that said neither yes nor no. */
function verdictLine(op: OpDetail, value: unknown, took: string): string | undefined {
  if ((op.kind !== 'run' && op.kind !== 'tool') || op.trigger?.kind !== 'judge') return undefined;
  const verdict = judgeVerdict(value);
  if (verdict === undefined) return undefined;
  const judge = op.kind === 'run' ? op.agent : op.call.name;
  return verdict.good ? `${judge}: good (${took})` : `${judge}: not good (${took}): ${oneLine(verdict.why)}`;
}

const agentOf = (op: OpDetail | undefined): string => (op !== undefined && 'agent' in op ? op.agent : 'run');
