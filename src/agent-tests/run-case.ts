// Runs one case: asks the agent, waits for the end, and looks at everything that must hold. Never throws for what happens
// in the case: a case that could not be run has failed, with the reason.

import { basename } from 'node:path';
import { readRegular } from '../base/disk/regular.ts';
import type { RunHandle } from '../engine/contract.ts';
import { inputWithFiles } from '../engine/files/input-with-files.ts';
import { type InputFile } from '../engine/files/take-files.ts';
import { replay } from '../engine/history/replay.ts';
import { agentIn } from '../engine/request.ts';
import { openChat } from '../engine/threads/chat.ts';
import type { RunId } from '../journal/event.ts';
import { fail, faultOf } from '../kernel/fault.ts';
import { MOST_REQUEST_BYTES } from '../kernel/file-ref.ts';
import { OWN_UPLOADS } from '../run/name-files.ts';
import { services } from '../run/services.ts';
import { addTotals } from '../views/costs/totals.ts';
import type { RecordedCase } from '../views/tests/test-record.ts';
import { type Failure, failuresOf, jsonText } from './checks.ts';
import type { TestHarness } from './harness.ts';
import { type JudgeVerdict, judge, judgeFailures } from './judge.ts';
import { observeRun, type RunObservation } from './run-observation.ts';
import type { Snapshots } from './snapshots.ts';
import type { TestCase } from './test-case.ts';

export interface CaseResult
  extends Pick<RecordedCase, 'state' | 'why' | 'model' | 'kind' | 'time' | 'setAside' | 'spent' | 'ms' | 'runs'> {
  readonly test: TestCase;
  readonly failures: readonly Failure[];
  /** The observation of the last run. */
  readonly observed?: RunObservation;
  readonly verdicts?: readonly JudgeVerdict[];
}

interface CaseParts {
  readonly bench: TestHarness;
  readonly snapshots: Snapshots;
  /** Writes snapshots instead of comparing them. */
  readonly update: boolean;
  readonly signal: AbortSignal;
}

export async function runCase(test: TestCase, parts: CaseParts): Promise<CaseResult> {
  const runs: RunId[] = [];
  try {
    const asked = await ask(test, parts, runs);
    const observed = asked.at(-1) as RunObservation;
    const failures = [...failuresOf(observed, test.expect), ...snapshotFailures(test, observed, parts)];
    if (test.expect.replay !== undefined) failures.push(...(await replayFailures(observed, parts.bench)));
    const verdicts = failures.length === 0 ? await judged(test, observed, parts.bench) : undefined;
    if (verdicts !== undefined && test.expect.judge !== undefined)
      failures.push(...judgeFailures(verdicts, test.expect.judge));
    return {
      test,
      state: failures.length === 0 ? 'passed' : 'failed',
      failures,
      observed,
      spent: addTotals(asked.map(({ totals }) => totals)),
      ms: asked.reduce((sum, one) => sum + one.ms, 0),
      runs,
      ...(verdicts !== undefined && { verdicts }),
    };
  } catch (thrown) {
    const { code, message } = faultOf(thrown);
    return { test, state: 'failed', failures: [{ what: `It could not be run (${code}): ${message}` }], runs };
  }
}

/** Runs the case, and returns the observation of each run in order. */
async function ask(test: TestCase, { bench, signal }: CaseParts, runs: RunId[]): Promise<readonly RunObservation[]> {
  const { cadre, engine } = bench;
  const say =
    test.inputs.length > 1
      ? await conversation(test, bench)
      : async (input: unknown, files?: readonly InputFile[]): Promise<RunHandle> => {
          const agent = agentIn(cadre, test.agent);
          const taker = { uploads: bench.store.uploads, owner: OWN_UPLOADS };
          const whole = await inputWithFiles(agent, input, files, taker);
          return engine.handle(await engine.start({ agent: agent.name, input: whole }));
        };
  const all: RunObservation[] = [];
  for (const [index, input] of test.inputs.entries()) {
    const handle = await say(input, index === 0 ? filesOf(test) : undefined);
    runs.push(handle.run);
    bench.allow(handle.run, test.approve);
    await endOf(handle, test, signal);
    const observed = observeRun(await bench.events(handle.run));
    if (observed === undefined) throw new Error(`run ${handle.run} has ended without an end in its journal`);
    all.push(observed);
  }
  return all;
}

async function conversation(
  { agent }: TestCase,
  { cadre, engine, store }: TestHarness,
): Promise<(input: unknown, files?: readonly InputFile[]) => Promise<RunHandle>> {
  const chat = await openChat(agent, {}, { cadre, engine, store, warn: () => undefined, now: Date.now });
  return (input, files) => chat.say(input, files === undefined ? {} : { files });
}

const filesOf = ({ files }: TestCase): readonly InputFile[] | undefined =>
  files?.map((file) => ({ name: basename(file), data: bytesOf(file) }));

/** Throws `usage` for a path that cannot be read. */
function bytesOf(file: string): Uint8Array {
  try {
    return readRegular(file, { maxBytes: MOST_REQUEST_BYTES });
  } catch (thrown) {
    return fail('usage', `The file ${file} of \`files\` cannot be read: ${(thrown as Error).message}`);
  }
}

async function endOf(handle: RunHandle, { timeoutMs }: TestCase, signal: AbortSignal): Promise<void> {
  const end = (why: string) => handle.interrupt('cancel', why);
  const stopped = () => end('The tests were stopped.');
  const timer = setTimeout(() => end(`The case did not end within ${timeoutMs} ms.`), timeoutMs);
  signal.addEventListener('abort', stopped, { once: true });
  try {
    await handle.outcome();
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stopped);
  }
}

async function judged(
  { expect, inputs }: TestCase,
  { text }: RunObservation,
  bench: TestHarness,
): Promise<readonly JudgeVerdict[] | undefined> {
  if (expect.judge === undefined) return undefined;
  return judge({ request: inputs.map(jsonText).join('\n\n'), answer: text }, expect.judge, bench);
}

function snapshotFailures(
  { name, expect }: TestCase,
  { text, data }: RunObservation,
  parts: CaseParts,
): readonly Failure[] {
  if (expect.answer?.snapshot !== true) return [];
  const now = data ?? text;
  if (parts.update) {
    parts.snapshots.set(name, now);
    return [];
  }
  const before = parts.snapshots.get(name);
  if (before === undefined)
    return [{ what: 'There is no snapshot of the answer yet. Keep this one with: cadre test --update' }];
  if (JSON.stringify(before) === JSON.stringify(now)) return [];
  return [{ what: 'The answer is not that of the snapshot.', expected: jsonText(before), received: jsonText(now) }];
}

async function replayFailures({ events }: RunObservation, { cadre, store }: TestHarness): Promise<readonly Failure[]> {
  const replayed = await replay(events, cadre, services, { store });
  if (replayed.kind === 'identical') return [];
  const { path, message, recorded, now } = replayed.difference;
  const where = path === undefined ? '' : ` at op ${path}`;
  return [
    {
      what: `Its replay differs${where}: ${message}`,
      ...(recorded !== undefined && { expected: jsonText(recorded) }),
      ...(now !== undefined && { received: jsonText(now) }),
    },
  ];
}
