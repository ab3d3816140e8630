// The journal as a decorator of a World. What was recorded is answered from the record, what is new is performed
// and recorded; so the same routine is a first run, a resume or a replay.
// W3. `op-start` is written before an effect is performed; the routine sees a result only as it was recorded, after
//     its encoding, on the first run too.
// W4. Only leaves are recalled. A run or a further message to a session is driven again on recorded answers, which
//     rebuilds open sessions for nothing; its recorded end must then be the same.
// W5. A take that brought nothing leaves no trace. On the way through the record, a take that has none and was
//     passed brought nothing then, whatever has arrived since.
// W6. A run that ended with nothing below it was refused, or its tools could not be opened. That end stands, whoever
//     comes first this time, and whatever could be opened by now.

import type { OpResult, OpStart, RunId, Unstamped } from '../journal/event.ts';
import type { Journal } from '../journal/journal.ts';
import type { Effect, Mail, ModelReply, Settled } from '../kernel/effect.ts';
import { fail } from '../kernel/fault.ts';
import type { OpPath } from '../kernel/path.ts';
import { type Described, type Describer, describer } from './describe.ts';
import { isAccepted, watchTakenOver } from './taken-over.ts';
import type { Op, World } from './world.ts';

type Leaf = Extract<Effect, { kind: 'model' | 'tool' | 'signal' | 'await-runs' | 'cancel-runs' | 'subagent' }>;
type Nested = Extract<Effect, { kind: 'run' | 'say' | 'subagent' }>;
type Instant = Extract<
  Effect,
  { kind: 'take' | 'post' | 'clock' | 'close' | 'spawn' | 'begin' | 'announce' | 'runs' | 'send' }
>;

const NO_MAIL: Settled<Mail> = { ok: true, value: { messages: [] } };

export function journaled(world: World, journal: Journal, run: RunId): World {
  const tells = describer(run);
  const watch = watchTakenOver(journal);
  return {
    perform(effect, op) {
      watch?.(effect.kind, op.path);
      switch (effect.kind) {
        case 'close':
          return close(effect, op, world, journal);
        case 'take':
        case 'post':
        case 'clock':
        case 'spawn':
        case 'begin':
        case 'announce':
        case 'runs':
        case 'send':
          return instantly(effect, op, world, journal);
        case 'run':
        case 'say':
          return nest(effect, op, world, journal, tells);
        case 'model':
        case 'tool':
        case 'signal':
        case 'await-runs':
        case 'cancel-runs':
          return leaf(effect, op, world, journal, tells);
        case 'subagent':
          return (effect.limits.runner === 'in-process' ? nest : leaf)(effect, op, world, journal, tells);
      }
    },
    recallFork(path) {
      const recorded = journal.recall(path)?.instant;
      if (recorded !== undefined) watch?.('fork', path);
      return recorded?.value as readonly number[] | undefined;
    },
    recordFork(path, counted) {
      journal.append({ type: 'op', path, kind: 'fork', value: counted });
      void journal.flush();
    },
  };
}

function leaf(effect: Leaf, op: Op, world: World, journal: Journal, tells: Describer): Settled | Promise<Settled> {
  const described = tells.describe(effect, op.path);
  const record = journal.recall(op.path);
  if (record?.start !== undefined) sameOrFail(op.path, record.start, described, journal, tells);
  if (record?.end !== undefined) return remember(effect, op.path, record.end.result, tells);
  op.inDoubt = record?.start !== undefined;
  if (record?.start !== undefined) op.since = record.start.at;
  return performLeaf(effect, described, op, world, journal, tells);
}

async function performLeaf(
  effect: Leaf,
  described: Described,
  op: Op,
  world: World,
  journal: Journal,
  tells: Describer,
): Promise<Settled> {
  journal.append(started(op.path, described));
  const written = journal.flush(); // W3
  if (written !== undefined) await written;
  const answer = world.perform(effect, op);
  const result = encode(answer instanceof Promise ? await answer : answer);
  journal.append({ type: 'op-end', path: op.path, kind: effect.kind, result });
  return remember(effect, op.path, result, tells);
}

async function nest(effect: Nested, op: Op, world: World, journal: Journal, tells: Describer): Promise<Settled> {
  const described = tells.describe(effect, op.path);
  const record = journal.recall(op.path);
  if (record?.start === undefined) {
    journal.append(started(op.path, described));
  } else {
    sameOrFail(op.path, record.start, described, journal, tells);
    if (record.end !== undefined && !journal.isReached(op.path)) return record.end.result; // W6
    op.since = record.start.at;
    op.until = record.end?.at;
  }
  const result = encode(await world.perform(effect, op)); // W4
  if (effect.kind === 'run' && effect.keep === undefined) tells.forget(op.path);
  if (record?.end === undefined) journal.append({ type: 'op-end', path: op.path, kind: effect.kind, result });
  else sameEndOrFail(op.path, record.end.result, result);
  return result;
}

const started = (path: OpPath, { op, print }: Described): Unstamped<OpStart> =>
  print === undefined ? { type: 'op-start', path, op } : { type: 'op-start', path, op, print };

function instantly(effect: Instant, op: Op, world: World, journal: Journal): Settled | Promise<Settled> {
  const recorded = journal.recall(op.path)?.instant;
  if (recorded !== undefined) {
    if (recorded.kind !== effect.kind) diverge(op.path, recorded.kind, effect.kind);
    return { ok: true, value: recorded.value };
  }
  if (effect.kind === 'take' && journal.isPassed(op.path)) return NO_MAIL; // W5
  const answer = world.perform(effect, op);
  return answer instanceof Promise
    ? answer.then((settled) => noteInstant(effect, settled, op, journal))
    : noteInstant(effect, answer, op, journal);
}

/** The record says that the session was closed, and the sessions that driving it again rebuilt are closed again (W4). */
function close(effect: Instant, op: Op, world: World, journal: Journal): Settled | Promise<Settled> {
  if (journal.recall(op.path)?.instant === undefined) return instantly(effect, op, world, journal);
  const answer = world.perform(effect, op);
  const recorded = (): Settled | Promise<Settled> => instantly(effect, op, world, journal);
  return answer instanceof Promise ? answer.then(recorded) : recorded();
}

function noteInstant(effect: Instant, settled: Settled, op: Op, journal: Journal): Settled {
  if (!settled.ok) return settled;
  if (effect.kind === 'take' && isNoMail(settled.value as Mail)) return NO_MAIL; // W5
  const value: unknown = recode(settled.value);
  const { kind, ...detail } = effect;
  journal.append({ type: 'op', path: op.path, kind, ...(Object.keys(detail).length > 0 && { detail }), value });
  return { ok: true, value };
}

const isNoMail = (mail: Mail): boolean =>
  mail.messages.length === 0 && mail.stop === undefined && mail.broadcasts === undefined && mail.tools === undefined;

/** Gives the recorded result, and remembers which op brought its message (W1). */
function remember(effect: Leaf, path: OpPath, result: OpResult, tells: Describer): Settled {
  if (result.ok) {
    if (effect.kind === 'model') tells.brought((result.value as ModelReply).message, path);
    else if (effect.kind === 'tool') tells.brought(result.value as object, path);
  }
  return result;
}

const encode = (settled: Settled): OpResult =>
  settled.ok ? { ok: true, value: recode(settled.value) } : { ok: false, fault: recode(settled.fault) };

/** What JSON would make of a value: most are that already, and then it is the value itself. */
function recode<Value>(value: Value): Value {
  if (isPlain(value)) return value;
  return (value === undefined ? null : JSON.parse(JSON.stringify(value))) as Value;
}

function isPlain(value: unknown): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true;
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0);
    case 'object': {
      if (value === null) return true;
      if (Array.isArray(value)) return value.every(isPlain);
      if (Object.getPrototypeOf(value) !== Object.prototype || 'toJSON' in value) return false;
      for (const key in value) if (!isPlain((value as Record<string, unknown>)[key])) return false;
      return true;
    }
    default:
      return false;
  }
}

function sameOrFail(path: OpPath, start: OpStart, described: Described, journal: Journal, tells: Describer): void {
  if (isSame(start, described)) return;
  const { op: recorded } = start;
  if (isAccepted(start, described.op, journal)) return tells.retell(described.op);
  fail('journal/divergence', `Op ${path} is not what was recorded.`, { path, recorded, now: described.op });
}

/** A model call is told by its fingerprint, which covers more than its event holds; any other op by what it holds. */
const isSame = (recorded: OpStart, described: Described): boolean =>
  described.print !== undefined
    ? recorded.print === described.print
    : JSON.stringify(recorded.op) === JSON.stringify(described.op);

function sameEndOrFail(path: OpPath, recorded: OpResult, now: OpResult): void {
  if (JSON.stringify(recorded) === JSON.stringify(now)) return;
  fail('journal/divergence', `Op ${path} does not end as was recorded.`, { path, recorded, now });
}

function diverge(path: OpPath, recorded: string, now: string): never {
  fail('journal/divergence', `Op ${path} was recorded as ${recorded}, and is ${now} now.`, { path, recorded, now });
}
