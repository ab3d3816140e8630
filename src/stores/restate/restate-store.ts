// Keeps runs in Restate, for many processes on many machines, without a database. Restate hands the runs to its workers
// (src/engine/restate) and keeps their journals as the state of one object for each run: restate/wire.ts has its cells.
// Everything here goes over HTTP and needs no package.

import { NewestMap } from '../../base/text/newest-map.ts';
import type { RunId, RunStart } from '../../journal/event.ts';
import type { Log } from '../../journal/log.ts';
import { wholeTextLog } from '../../journal/repeats/whole-texts.ts';
import type { RunCatalog } from '../../journal/run-catalog.ts';
import { checkRunId } from '../../journal/run-names.ts';
import { runStore } from '../../journal/run-store.ts';
import type { Fleet, LiveExchange, RunStore, WaitingRun, WorkerNeeds } from '../../journal/store.ts';
import { fail } from '../../kernel/fault.ts';
import { sumsOfList } from '../../views/runs/spending.ts';
import { restateAddress } from './address.ts';
import { forgetCells, restateCells } from './cells.ts';
import { RestateClient, replyText } from './client.ts';
import { type EventReads, followCells, headOf, readRun, runEnding } from './events.ts';
import { outsideClaims } from './lease.ts';
import { restateListing } from './listing.ts';
import { restateLive } from './live.ts';
import { invocationsOf, openInvocations, placedBy, placedOf } from './state.ts';
import { Batcher, batchText, LIVE, RUN } from './wire.ts';

export interface RestateStore extends RunStore {
  readonly client: RestateClient;
  readonly fleet: Fleet;
  close(): Promise<void>;
}

const MOST_NOTED = 10_000;

export function restateStore(
  address: string,
  options: {
    /** The time for which an outage of the server is waited out, in milliseconds. */
    readonly waitMs?: number;
    /** The time that a worker gets to answer. Default: 30 seconds. */
    readonly answerMs?: number;
    readonly warn?: (text: string) => void;
  } = {},
): RestateStore {
  const { warn = (text: string) => process.emitWarning(text, 'CadreWarning') } = options;
  const client = new RestateClient(restateAddress(address), { ...options, warn });
  /** The runs that this process gave away. The oldest are forgotten, and found without it. */
  const submitted = new NewestMap<RunId, RunStart>(MOST_NOTED);
  const isHeld = (run: RunId): boolean => leases.isHeld(run);
  const { list, one, find, unknown, counting } = restateListing(client, { isHeld, submitted });
  const reading: EventReads = { client, unknown, isHeld, submitted };
  const leases = outsideClaims(reading);
  const live = restateLive(client);
  /** The invocations of the runs that this process offered. */
  const offered = new NewestMap<RunId, string>(MOST_NOTED);

  const log: Log = {
    claim: async (run, expectedSeq) => leases.claim(checkRunId(run), expectedSeq),
    takeOver: async (run) => leases.takeOver(checkRunId(run)),
    async *read(run, fromSeq = 0) {
      yield* readRun(reading, checkRunId(run), fromSeq);
    },
    async *follow(run, fromSeq, signal) {
      yield* followCells(reading, checkRunId(run), fromSeq, signal);
    },
    async end(run, signal) {
      const at = offered.get(run);
      offered.delete(run);
      return runEnding(reading, checkRunId(run), signal, at);
    },
    async remove(run) {
      const { summary, at } = await headOf(client, checkRunId(run));
      if (summary === undefined) await unknown(run);
      const isOpen = summary?.outcome === undefined;
      if (leases.isHeld(run) || (isOpen && (await placedOf(client, run, at)) !== 'none'))
        fail('run/locked', `Run ${run} is at work. Cancel it first: cadre runs cancel ${run}`);
      await client.text([RUN, run, 'forget'], '', { once: true });
      await forgetCells(client, 'control', run); // with what it says of signals
      await client.text([LIVE, run, 'forget'], '', { once: true });
    },
    digests: () => namedDigests(client),
    async sweep() {}, // a run that was begun has its first event
  };
  const catalog: RunCatalog = {
    list,
    ...sumsOfList(() => list({})),
    counting,
    summary: async (run) => one(checkRunId(run)),
    find,
    async has(run) {
      const isSubmitted = submitted.has(checkRunId(run)); // before we ask, because a reader may find it recorded meanwhile
      return (await headOf(client, run)).summary !== undefined || isSubmitted;
    },
    unknown,
  };
  const fleet = restateFleet(client, leases, { submitted, offered, live });
  const close = async (): Promise<void> => {
    live.close();
    client.close();
  };
  const store = runStore({
    log: wholeTextLog(log),
    runs: catalog,
    cells: restateCells(client),
    keepsSecrets: false,
    fleet,
    now: () => client.now(),
    close,
    warn,
  });
  return { ...store, client, fleet, close };
}

function restateFleet(
  client: RestateClient,
  leases: ReturnType<typeof outsideClaims>,
  {
    submitted,
    offered,
    live,
  }: { readonly submitted: Map<RunId, RunStart>; readonly offered: Map<RunId, string>; readonly live: LiveExchange },
): Fleet {
  return {
    assigns: true,
    async submit(start, needs) {
      refuseLabel(needs);
      const { run } = start;
      const [batch] = new Batcher(checkRunId(run), []).batches([start]);
      const sent = await client.send([RUN, run, 'work'], batch && batchText(batch)); // of a run that exists it changes nothing
      submitted.set(run, start);
      offered.set(run, sent);
    },
    async offer(run, needs) {
      refuseLabel(needs);
      const open = leases.isFresh(run) ? [] : await invocationsOf(client, checkRunId(run));
      for (const { id, status } of open)
        if (status === 'paused') await client.admin(`/invocations/${id}/resume`, { method: 'PATCH' });
      offered.set(run, open[0]?.id ?? (await client.send([RUN, checkRunId(run), 'work'])));
    },
    workers: () => registered(client),
    waiting: (runs) => waitingRuns(client, runs),
    live,
    join: refused,
    take: refused,
    onWork: refused,
  };
}

/** The digests of blobs that events of any run name. */
async function namedDigests(client: RestateClient): Promise<ReadonlySet<string>> {
  const rows = await client.query<{ readonly value_utf8: string }>(
    `select value_utf8 from state where service_name = '${RUN}' and key like 'n%'`,
  );
  return new Set(rows.flatMap(({ value_utf8: text }) => JSON.parse(text) as string[]));
}

function refuseLabel({ label }: WorkerNeeds): void {
  if (label !== undefined)
    fail(
      'usage',
      `engine.label and engine.writeLabel of cadre.yaml keep runs on workers with a label (${label}), and Restate does not know labels. Leave them out, or use postgres://…`,
    );
}

const refused = (): never =>
  fail('usage', 'Restate hands runs to its workers itself. Start one with: cadre worker <folder> --restate');

/** The addresses at which workers are registered. Whether one answers there is known to Restate alone. */
async function registered(client: RestateClient): ReturnType<Fleet['workers']> {
  const response = await client.admin('/deployments', { method: 'GET' });
  if (!response.ok) fail('store/unreachable', `The admin API of ${client.shown} answered ${response.status}.`);
  const { deployments } = JSON.parse(replyText(response)) as {
    readonly deployments: readonly { readonly uri?: string; readonly services: readonly { readonly name: string }[] }[];
  };
  const serving = deployments.filter(({ services }) => services.some(({ name }) => name === RUN));
  const running = (await openInvocations(client)).filter(({ status }) => status === 'running').length;
  return serving.map(({ uri = '' }) => ({ name: uri, labels: [], workspace: '', runs: running }));
}

/** Restate knows no needs. It keeps what came of its last attempt to give a run to a worker. */
async function waitingRuns(client: RestateClient, runs: readonly RunId[]): Promise<ReadonlyMap<RunId, WaitingRun>> {
  if (runs.length === 0) return new Map();
  const named = runs.map((run) => `'${checkRunId(run)}'`).join(', ');
  const open = await openInvocations(client, `target_service_key in (${named})`);
  return new Map(
    open
      .filter(({ status }) => placedBy(status) === 'queued')
      .map(({ target_service_key: run, last_failure: failed }) => [
        run,
        { needs: {}, ...(failed && { failed: failedWords(failed) }) },
      ]),
  );
}

/** The words of a failure, without its code and without the line in our source at which a worker threw it. */
const failedWords = (failed: string): string => (failed.split('\n')[0] ?? '').replace(/^\[500 Internal\] /, '');
