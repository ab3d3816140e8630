// Starts the run that a client asks for: the agent, its input, the conversation that it continues.

import { createHash } from 'node:crypto';
import type { RunRequest } from '../../engine/contract.ts';
import { inputWithFiles } from '../../engine/files/input-with-files.ts';
import type { FileTaker, GivenFile } from '../../engine/files/take-files.ts';
import { readAll, startOf } from '../../engine/pinned.ts';
import { labelOf } from '../../engine/request.ts';
import { isStage } from '../../engine/stages.ts';
import {
  findThread,
  fitHistory,
  newestOf,
  newThreadId,
  runsOfThread,
  START,
  type ThreadRun,
  tipAfter,
} from '../../engine/threads/thread.ts';
import type { RunStore, RunSummary } from '../../journal/store.ts';
import type { History } from '../../kernel/effect.ts';
import { FaultError, fail } from '../../kernel/fault.ts';
import type { OutputContract } from '../../kernel/schema.ts';
import { inputSchemaProblems } from '../../tools/json-schema.ts';
import { type Caller, requirePermission } from '../caller.ts';
import type { ServerContext } from '../context.ts';
import type { StartedRun, StartRun } from '../protocol.ts';
import type { ServedAgent } from '../served-cadres.ts';
import { fileTaker } from './file-taker.ts';
import { startedOnce } from './idempotency-key.ts';
import { isRunOf, seenStore } from './seen-store.ts';
import { isVisible, runRow, visibleRun } from './visible-runs.ts';

/**
 * Starts a run. With a key, a request that was made before gives the same run again. Throws `agent/unknown`,
 * `input/invalid`, `thread/unknown`, `request/forbidden`, `request/key-reused`, `server/busy`.
 */
export async function startFor(
  asked: StartRun,
  caller: Caller,
  context: ServerContext,
  key?: string,
): Promise<StartedRun> {
  const agent = context.cadres.agentFor(asked.agent, caller);
  if (asked.output !== undefined) refuseInvalid(asked.output);
  const begin = async (run?: string): Promise<StartedRun> => {
    const request = await requestOf(asked, agent, caller, context);
    const started = await context.runs.start(agent, request, run === undefined ? {} : { run });
    return request.thread === undefined ? started : { ...started, thread: request.thread };
  };
  return key === undefined ? begin() : startedOnce({ key, caller, asked: withDigests(asked) }, context, begin);
}

/** The same request, however its files came: a file is its bytes. */
const withDigests = (asked: StartRun): unknown =>
  asked.files === undefined
    ? asked
    : {
        ...asked,
        files: asked.files.map((file) =>
          'data' in file
            ? { name: file.name, digest: createHash('sha256').update(Buffer.from(file.data, 'base64')).digest('hex') }
            : file,
        ),
      };

async function requestOf(
  asked: StartRun,
  agent: ServedAgent,
  caller: Caller,
  context: ServerContext,
): Promise<Omit<RunRequest, 'agent'>> {
  const { output, stopAfter } = asked;
  const input = await inputWithFiles(agent.agent, asked.input, filesOf(asked), takerFor(asked, caller, context));
  const { history, ...place } = await placeIn(asked, agent, caller, context);
  return {
    input: history.length === 0 ? input : { ...input, history },
    ...(output && { contract: output }),
    ...(stopAfter !== undefined && { stopAfter: stageOf(stopAfter, agent, caller) }),
    ...labelOf(asked),
    ...place,
  };
}

const filesOf = ({ files }: StartRun): readonly GivenFile[] | undefined =>
  files?.map((file) => ('text' in file ? { name: file.name, data: Buffer.from(file.text) } : file));

/** A file that was not uploaded lately is taken from a run that the caller may see. */
function takerFor({ files = [] }: StartRun, caller: Caller, context: ServerContext): FileTaker {
  return {
    ...fileTaker(caller, context.store),
    async known(digest) {
      const named = files.find((file) => 'digest' in file && file.digest === digest);
      if (named === undefined || !('digest' in named) || named.run === undefined) return undefined;
      const { run } = await visibleRun(named.run, caller, context);
      const { input } = startOf(await readAll(run, context.store));
      const all = [...(input.files ?? []), ...(input.history ?? []).flatMap((message) => message.files ?? [])];
      return all.find((file) => file.digest === digest);
    },
  };
}

/** The stages of a chain may be agents that the caller may not ask itself. It is not told which others there are. */
function stageOf(stage: string, { host, agent }: ServedAgent, { agents }: Caller): string {
  if (agents !== undefined && !isStage(host.definition, agent.name, stage))
    fail('agent/unknown', `A run of ${agent.name} has no stage ${JSON.stringify(stage.slice(0, 80))}.`);
  return stage;
}

/**
 * The place of the run in a conversation. A client that keeps the history itself may name any thread. Ids can be
 * guessed, and an agent tells earlier messages: a caller who names a thread must be allowed to see runs, as with the
 * heads (PLACE-3).
 */
async function placeIn(
  { thread: named, history, continues }: StartRun,
  served: ServedAgent,
  caller: Caller,
  context: ServerContext,
): Promise<{ readonly thread?: string; readonly continues?: string; readonly history: History }> {
  if (continues !== undefined && named === undefined)
    fail('request/invalid', '`continues` names a run of a thread, so it needs the id of the thread, or `new`.');
  if (named === undefined) return { history: history ?? [] };
  if (named === 'new') {
    const before = typeof continues === 'string' ? await historyAfter(continues, served, caller, context) : [];
    return { thread: newThreadId(context.now()), history: history ?? before };
  }
  requirePermission(caller, 'see');
  const store = seenStore(caller, context);
  const thread = history === undefined ? await findThread(named, store) : ((await threadOrNone(named, store)) ?? named);
  const runs = await runsOfThread(store, thread);
  const last = runs.at(-1)?.summary;
  if (last !== undefined && !isVisible(runRow(last, context), caller)) {
    fail('thread/unknown', `There is no thread ${JSON.stringify(named.slice(0, 80))}.`);
  }
  if (last !== undefined && !isRunOf(last, served, context)) {
    const whose = (context.cadres.ofFolder(last.folder)?.prefix ?? '') + last.agent;
    fail('thread/other-agent', `Thread ${thread} is a conversation with ${whose}, not with ${served.name}.`);
  }
  const newest = continues === undefined ? newestOf(runs)?.summary : followed(continues, thread, runs);
  const tip = newest === undefined ? START : await tipAfter(newest.run, store);
  return {
    thread,
    ...(tip.continues !== undefined && { continues: tip.continues }),
    history: history ?? fitHistory(tip.history),
  };
}

/** The conversation by the end of a run, for a thread that begins after it. */
async function historyAfter(
  named: string,
  served: ServedAgent,
  caller: Caller,
  context: ServerContext,
): Promise<History> {
  requirePermission(caller, 'see');
  const row = await visibleRun(named, caller, context);
  if (!isRunOf(row, served, context))
    fail('thread/other-agent', `Run ${row.run} asked ${(row.prefix ?? '') + row.agent}, not ${served.name}.`);
  refuseAtWork(row);
  return fitHistory((await tipAfter(row.run, seenStore(caller, context))).history);
}

function refuseAtWork({ run, state }: Pick<RunSummary, 'run' | 'state'>): void {
  if (state === 'running')
    fail(
      'request/invalid',
      `Run ${run} is at work, so its answer is not known. Send it a message, or wait for its end.`,
    );
}

/** The run that a branch begins after. Undefined: at the beginning of the thread. */
function followed(run: string | null, thread: string, runs: readonly ThreadRun[]): RunSummary | undefined {
  if (run === null) return undefined;
  const found = runs.find(({ summary }) => summary.run === run)?.summary;
  if (found === undefined)
    fail('request/invalid', `Run ${JSON.stringify(run.slice(0, 80))} is not of thread ${thread}.`);
  refuseAtWork(found);
  return found;
}

async function threadOrNone(named: string, store: RunStore): Promise<string | undefined> {
  try {
    return await findThread(named, store);
  } catch (thrown) {
    if (thrown instanceof FaultError && thrown.fault.code === 'thread/unknown') return undefined;
    throw thrown;
  }
}

function refuseInvalid({ format, schema }: OutputContract): void {
  if (schema === undefined) return;
  if (format !== 'json') fail('request/invalid', 'output.schema goes with the format json.');
  const violations = inputSchemaProblems(schema);
  if (violations.length > 0) {
    fail('request/invalid', 'output.schema is not a valid JSON Schema.', {
      violations: violations.map((one) => ({ ...one, path: `$.output.schema${one.path.slice(1)}` })),
    });
  }
}
