// Recall and record, as a decorator of a World. What was recorded is answered from the record, what is new is performed
// and recorded; so the same routine is a first run, a resume or a replay. `describe` says what is recorded of an effect,
// and `state` is given each event that was recorded.
// RECORD-1. `op-start` is written before an effect is performed; the routine sees a result only as it was recorded,
//     after its encoding, on the first run too.
// RECORD-2. Only leaves are recalled. A run or a further message to a session is driven again on recorded answers, which
//     rebuilds open sessions for nothing; its recorded end must then be the same.
// RECORD-3. A take that brought nothing is not recorded. So a take without a record that the record has passed brought
//     nothing then, whatever has arrived since.
// RECORD-4. A run that ended with nothing below it was refused, or its tools could not be opened. That end stands,
//     even if the limit would allow the run now, or its tools could be opened now.
// RECORD-5. If the answer to a question about the state is there at once, nothing else is asked between that answer and
//     its event: limits are counted and taken in one step.
// RECORD-6. Which parallel branches counted, a failed attempt and an intended change are written before their reporter goes on.
// RECORD-7. Results that no request will tell are recorded as a fact of the reply that they belong to, without those that
//     an op holds (EVENT-3).

import { type OpResult, type OpStart, type RunId, resultsKey, type UnstampedEvent } from '../../journal/event.ts';
import type { Journal } from '../../journal/journal.ts';
import type { FileChange } from '../../kernel/change.ts';
import type { Effect, EffectKind, EffectOf, Mail, ModelReply, SettledResult } from '../../kernel/effect.ts';
import { fail } from '../../kernel/fault.ts';
import type { ToolMessage } from '../../kernel/message.ts';
import { childPath, type OpPath } from '../../kernel/path.ts';
import { type Fold, noState } from '../state/projection.ts';
import type { AttemptMade, Op, OpRecorder, World } from '../world.ts';
import { type DescribedOp, type Describer, openDescriber } from './describe.ts';
import { isAccepted, openForkGuard } from './fork-guard.ts';
import { recodeJson, recodeResult } from './recode.ts';

type Leaf = EffectOf<'model' | 'tool' | 'approval' | 'await-runs' | 'cancel-runs'>;
type Instant = Extract<
  Effect,
  { kind: 'take' | 'post' | 'clock' | 'close' | 'spawn' | 'begin' | 'announce' | 'runs' | 'send' | 'preview' }
>;

const NO_MAIL: SettledResult<Mail> = { ok: true, value: { messages: [] } };

export function recorder(
  world: World,
  {
    journal,
    run,
    state = noState,
  }: {
    readonly journal: Journal;
    readonly run: RunId;
    /** Gets each event that is recorded. Absent if nothing is recorded. */
    readonly state?: Fold | undefined;
  },
): World {
  const recording: RecorderState = { world, journal, state, describer: openDescriber(run) };
  const watch = openForkGuard(journal);
  return {
    perform(effect, op) {
      if (effect.kind === 'parallel') return recallBranches(op, recording, watch);
      if (effect.kind === 'last-results') return noteResults(op.path, effect.messages, recording);
      watch?.(effect.kind, op.path);
      switch (effect.kind) {
        case 'close':
          return close(effect, op, recording);
        case 'take':
        case 'post':
        case 'clock':
        case 'spawn':
        case 'begin':
        case 'announce':
        case 'runs':
        case 'send':
        case 'preview':
          return instantly(effect, op, recording);
        case 'run':
        case 'say':
          return nest(effect, op, recording);
        case 'model':
        case 'tool':
        case 'approval':
        case 'await-runs':
        case 'cancel-runs':
          return leaf(effect, op, recording);
      }
    },
  };
}

/** RECORD-6. A class, because each call of a model or tool has one. */
class JournalRecorder implements OpRecorder {
  readonly #path: OpPath;
  readonly #recording: RecorderState;

  constructor(path: OpPath, recording: RecorderState) {
    this.#path = path;
    this.#recording = recording;
  }

  attempt(made: AttemptMade): void | Promise<void> {
    return this.#write({ type: 'attempt', path: this.#path, ...made });
  }

  intent(change: FileChange): void | Promise<void> {
    return this.#write({ type: 'intent', path: this.#path, change });
  }

  parallel(counted: readonly number[]): void | Promise<void> {
    return this.#write({ type: 'op', path: this.#path, kind: 'parallel', value: counted });
  }

  branch(index: number): 'begun' | 'open' | 'never' {
    const { journal } = this.#recording;
    if (journal.isReached(childPath(this.#path, index))) return 'begun';
    return journal.isReplay ? 'never' : 'open';
  }

  #write(event: UnstampedEvent): void | Promise<void> {
    note(event, this.#recording);
    return this.#recording.journal.flush();
  }
}

function recallBranches(
  op: Op,
  recording: RecorderState,
  watch: ((kind: EffectKind | 'parallel', path: OpPath) => void) | undefined,
): SettledResult {
  op.record = new JournalRecorder(op.path, recording);
  const recorded = recording.journal.recall(op.path)?.instant;
  if (recorded !== undefined) watch?.('parallel', op.path);
  return { ok: true, value: recorded?.value ?? null };
}

interface RecorderState {
  readonly world: World;
  readonly journal: Journal;
  readonly state: Fold;
  readonly describer: Describer;
}

/** PROJECTION-1. */
const note = (event: UnstampedEvent, { journal, state }: RecorderState): void => state.add(journal.append(event));

/** RECORD-7. A replay adds nothing: an ended run of an earlier release has no such fact. */
function noteResults(reply: OpPath, messages: readonly ToolMessage[], recording: RecorderState): SettledResult {
  const { journal, describer } = recording;
  const key = resultsKey(reply);
  if (journal.isReplay || journal.fact(key) !== undefined) return NOTED;
  const value = messages.map(describer.stored).filter((one) => 'result' in one && one.result.status === 'error');
  if (value.length > 0) note({ type: 'fact', key, value }, recording);
  return NOTED;
}

const NOTED: SettledResult<null> = { ok: true, value: null };

function leaf(effect: Leaf, op: Op, recording: RecorderState): SettledResult | Promise<SettledResult> {
  const { journal, describer } = recording;
  const described = describer.describe(effect, op.path);
  const record = journal.recall(op.path);
  if (record?.start !== undefined) sameOrFail(op.path, record.start, described, recording);
  if (record?.end !== undefined) return remember(effect, op.path, record.end.result, describer);
  op.inDoubt = record?.start !== undefined;
  if (record?.start !== undefined) op.since = record.start.at;
  return performLeaf(effect, described, op, recording);
}

async function performLeaf(
  effect: Leaf,
  described: DescribedOp,
  op: Op,
  recording: RecorderState,
): Promise<SettledResult> {
  const { world, journal, describer } = recording;
  note(started(op.path, described), recording);
  const written = journal.flush(); // RECORD-1
  if (written !== undefined) await written;
  op.record = new JournalRecorder(op.path, recording);
  const answer = world.perform(effect, op);
  const result = recodeResult(answer instanceof Promise ? await answer : answer);
  note({ type: 'op-end', path: op.path, kind: effect.kind, result }, recording);
  return remember(effect, op.path, result, describer);
}

async function nest(effect: EffectOf<'run' | 'say'>, op: Op, recording: RecorderState): Promise<SettledResult> {
  const { world, journal, describer } = recording;
  const described = describer.describe(effect, op.path);
  const record = journal.recall(op.path);
  if (record?.start === undefined) {
    note(started(op.path, described), recording);
  } else {
    sameOrFail(op.path, record.start, described, recording);
    if (record.end !== undefined && !journal.isReached(op.path)) return record.end.result; // RECORD-4
    op.since = record.start.at;
    op.until = record.end?.at;
    op.hasBegun = journal.isReached(op.path);
  }
  const result = recodeResult(await world.perform(effect, op)); // RECORD-2
  if (effect.kind === 'run' && effect.keep === undefined) describer.forget(op.path);
  if (record?.end === undefined) note({ type: 'op-end', path: op.path, kind: effect.kind, result }, recording);
  else sameEndOrFail(op.path, record.end.result, result);
  return result;
}

const started = (path: OpPath, { op, fingerprint }: DescribedOp): UnstampedEvent<OpStart> =>
  fingerprint === undefined ? { type: 'op-start', path, op } : { type: 'op-start', path, op, fingerprint };

function instantly(effect: Instant, op: Op, recording: RecorderState): SettledResult | Promise<SettledResult> {
  const { world, journal } = recording;
  const recorded = journal.recall(op.path)?.instant;
  if (recorded !== undefined) {
    if (recorded.kind !== effect.kind) diverge(op.path, recorded.kind, effect.kind);
    return { ok: true, value: recorded.value };
  }
  if (effect.kind === 'take' && journal.isPassed(op.path)) return NO_MAIL; // RECORD-3
  const answer = world.perform(effect, op);
  return answer instanceof Promise
    ? answer.then((settled) => noteInstant(effect, settled, op, recording))
    : noteInstant(effect, answer, op, recording); // RECORD-5
}

/** The record says that the session was closed, so the sessions that were rebuilt are closed again (RECORD-2). */
function close(effect: Instant, op: Op, recording: RecorderState): SettledResult | Promise<SettledResult> {
  if (recording.journal.recall(op.path)?.instant === undefined) return instantly(effect, op, recording);
  const answer = recording.world.perform(effect, op);
  const recorded = (): SettledResult | Promise<SettledResult> => instantly(effect, op, recording);
  return answer instanceof Promise ? answer.then(recorded) : recorded();
}

function noteInstant(effect: Instant, settled: SettledResult, op: Op, recording: RecorderState): SettledResult {
  if (!settled.ok) return settled;
  if (effect.kind === 'take' && isNoMail(settled.value as Mail)) return NO_MAIL; // RECORD-3
  const value: unknown = recodeJson(settled.value);
  const { kind, ...detail } = effect.kind === 'preview' ? namedCall(effect) : effect;
  note({ type: 'op', path: op.path, kind, ...(Object.keys(detail).length > 0 && { detail }), value }, recording);
  return { ok: true, value };
}

/** The arguments stand in the reply that made the call, and in the question that follows. */
const namedCall = ({ kind, agent, call: { id, name } }: Extract<Instant, { kind: 'preview' }>) => ({
  kind,
  agent,
  call: { id, name },
});

const isNoMail = (mail: Mail): boolean =>
  mail.messages.length === 0 && mail.stop === undefined && mail.broadcasts === undefined && mail.tools === undefined;

/** Gives the recorded result, and remembers which op brought its message (DESCRIBE-1). */
function remember(effect: Leaf, path: OpPath, result: OpResult, describer: Describer): SettledResult {
  if (result.ok) {
    if (effect.kind === 'model') {
      // a summary is no message of the conversation
      if (effect.request.compact === undefined) describer.noteOrigin((result.value as ModelReply).message, path);
    } else if (effect.kind === 'tool') describer.noteOrigin(result.value as object, path);
  }
  return result;
}

function sameOrFail(path: OpPath, start: OpStart, described: DescribedOp, { journal, describer }: RecorderState): void {
  if (isSame(start, described)) return;
  const { op: recorded } = start;
  if (isAccepted(start, described.op, journal)) return describer.forgetStanding(described.op);
  fail('journal/divergence', `Op ${path} is not what was recorded.`, { path, recorded, now: described.op });
}

/** A model call is compared by its fingerprint, which covers more than its event holds; any other op by its event. */
const isSame = (recorded: OpStart, described: DescribedOp): boolean =>
  described.fingerprint !== undefined
    ? recorded.fingerprint === described.fingerprint
    : JSON.stringify(recorded.op) === JSON.stringify(described.op);

function sameEndOrFail(path: OpPath, recorded: OpResult, now: OpResult): void {
  if (JSON.stringify(recorded) === JSON.stringify(now)) return;
  fail('journal/divergence', `Op ${path} does not end as was recorded.`, { path, recorded, now });
}

function diverge(path: OpPath, recorded: string, now: string): never {
  fail('journal/divergence', `Op ${path} was recorded as ${recorded}, and is ${now} now.`, { path, recorded, now });
}
