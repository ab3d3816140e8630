// A fleet as people use it: runs are started over HTTP and from the command line, told things, approved and cancelled by
// both, while workers, servers and the database die under them. Whoever got an answer can rely on it: one request is one
// run, a message that was accepted is heard once, a verdict counts, and a cancelled run ends as cancelled.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { replay } from '../../src/engine/history/replay.ts';
import { pinnedCadre, startOf } from '../../src/engine/pinned.ts';
import type { RunEvent, RunId } from '../../src/journal/event.ts';
import type { RunStore } from '../../src/journal/store.ts';
import { services } from '../../src/run/services.ts';
import { postgresStore } from '../../src/stores/postgres/postgres-store.ts';
import { freshStore, type PostgresServer, postgresServer } from '../support/postgres.ts';
import { dice, tell } from './support/figures.ts';
import {
  command,
  kill,
  killServer,
  type ServerProcess,
  startServerProcess,
  startWorkerProcess,
  type WorkerProcess,
} from './support/fleet.ts';
import { eventsOf, modelCalls, outcomeOf } from './support/victim.ts';

const ROUNDS = Number(process.env['CADRE_CRASH_ROUNDS'] ?? 1);
const RUNS = 6;
const MESSAGES = 4;
/** After so many kills and crashes the runs are left in peace. */
const DISTURBED = 40;
/** Every third run is cancelled. */
const isCancelled = (index: number): boolean => index % 3 === 2;

const figures = { runs: 0, workers: 0, servers: 0, database: 0, requests: 0, unanswered: 0, commands: 0 };
const messages = { accepted: 0, lost: 0, twice: 0, verdicts: 0, cancels: 0 };
const calls = { finished: 0, cutOff: 0, repeated: 0 };

let server: PostgresServer;
let folder: string;

beforeAll(async () => {
  server = await postgresServer();
  folder = mkdtempSync(join(tmpdir(), 'cadre-fleet-surfaces-'));
  const files = {
    'cadre.yaml': [
      'providers: {demo: {kind: scripted, script: ./demo.script.yaml}}',
      'defaults: {models: [demo/any]}',
      'limits: {maxTurns: 10000}',
    ].join('\n'),
    'demo.script.yaml': [
      'agents:',
      '  clerk:',
      '    - {when: {last: "that is all"}, answer: "I heard all of it."}',
      '    - {call: {search_files: {query: listen}}}',
      '    - {call: {list_files: {}}, delay: 15ms, repeat: true}',
    ].join('\n'),
    'clerk.md':
      '---\ndescription: Listens.\ntools: [files]\napprove: [search_files]\nmaxTurns: 10000\nstuck: off\n---\nListen to people.\n',
  };
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
  tell('The fleet: started, told, approved and cancelled over HTTP and by commands, while everything dies', [
    ['runs brought to their end', figures.runs],
    ['kills survived', figures.workers + figures.servers],
    ['of these, kills of workers', figures.workers],
    ['of these, kills of servers', figures.servers],
    ['crashes of the database survived', figures.database],
    ['HTTP requests made', figures.requests],
    ['of these, without an answer because their server died, and asked again', figures.unanswered],
    ['commands run', figures.commands],
    ['messages accepted', messages.accepted],
    ['accepted messages lost', messages.lost],
    ['messages taken twice', messages.twice],
    ['verdicts given', messages.verdicts],
    ['runs cancelled', messages.cancels],
    ['model calls finished', calls.finished],
    ['model calls cut off by a kill, and made again', calls.cutOff],
    ['finished model calls repeated', calls.repeated],
  ]);
});

/** Two workers and two servers, each of which is started again when it was killed. */
class Fleet {
  readonly #address: string;
  readonly #workers: WorkerProcess[] = [];
  readonly #servers: ServerProcess[] = [];
  readonly #roll: (below: number) => number;

  constructor(address: string, roll: (below: number) => number) {
    this.#address = address;
    this.#roll = roll;
  }

  async open(): Promise<void> {
    for (const name of ['a', 'b']) this.#workers.push(this.#worker(name));
    for (let count = 0; count < 2; count++) this.#servers.push(await this.#server());
    await Promise.all(this.#workers.map(({ ready }) => ready));
  }

  get url(): string {
    return (this.#servers[this.#roll(2)] as ServerProcess).url;
  }

  /** Kills one of them, or the database. */
  async disturb(step: number): Promise<void> {
    const index = this.#roll(2);
    if (step % 7 === 6) {
      await server.crash();
      await setTimeout(this.#roll(800));
      await server.start();
      figures.database++;
    } else if (step % 2 === 0) {
      const { name } = this.#workers[index] as WorkerProcess;
      await kill(this.#workers[index] as WorkerProcess);
      figures.workers++;
      this.#workers[index] = this.#worker(name);
      await this.#workers[index]?.ready;
    } else {
      await killServer(this.#servers[index] as ServerProcess);
      figures.servers++;
      this.#servers[index] = await this.#server();
    }
  }

  async close(): Promise<void> {
    for (const one of this.#workers) await kill(one);
    for (const one of this.#servers) await killServer(one);
  }

  #server(): Promise<ServerProcess> {
    return startServerProcess(folder, this.#address);
  }

  #worker(name: string): WorkerProcess {
    return startWorkerProcess({ folder, store: this.#address, name });
  }
}

/** Somebody who starts one run and talks to it, over HTTP or by commands. */
class Person {
  readonly accepted: string[] = [];
  readonly #fleet: Fleet;
  readonly #address: string;
  readonly #by: 'http' | 'commands';

  constructor(fleet: Fleet, address: string, by: 'http' | 'commands') {
    this.#fleet = fleet;
    this.#address = address;
    this.#by = by;
  }

  async start(key: string): Promise<RunId> {
    if (this.#by === 'commands') {
      const out = await this.#command(['run', join(folder, 'clerk.md'), key, '--detach']);
      return /\d{8}-\d{6}-\w+/.exec(out)?.[0] ?? '';
    }
    const begun = await this.#asked('/api/runs', { agent: 'clerk', input: key }, { 'idempotency-key': key });
    return (JSON.parse(begun) as { readonly run: RunId }).run;
  }

  async approve(run: RunId, op: string): Promise<void> {
    if (this.#by === 'commands') await this.#command(['approve', run, op], isDecided);
    else await this.#asked(`/api/runs/${run}/ops/${op}/verdict`, { approved: true });
    messages.verdicts++;
  }

  /**
   * A message whose answer did not come may have been accepted: then the next one has another text. If it was the last
   * one, the run has ended by it.
   */
  async say(run: RunId, text: string): Promise<void> {
    await until(`${text} to ${run}`, async (attempt) => {
      const said = `${text}, said ${attempt}`;
      if (this.#by === 'commands') {
        const { code, out } = await this.#once(['runs', 'send', run, said]);
        if (tried(attempt) && isEnded.test(out)) return { done: undefined };
        if (code !== 0) return { failed: out };
      } else {
        const answer = await this.#post(`/api/runs/${run}/messages`, { text: said });
        if (tried(attempt) && isEnded.test(answer.text)) return { done: undefined };
        if (answer.status !== 200) return { failed: answer.text };
      }
      this.accepted.push(said);
      return { done: undefined };
    });
  }

  async cancel(run: RunId): Promise<void> {
    if (this.#by === 'commands') await this.#command(['runs', 'cancel', run], /ended|cancelled/i);
    else await this.#asked(`/api/runs/${run}/cancel`, {});
    messages.cancels++;
  }

  #once(args: readonly string[]): ReturnType<typeof command> {
    figures.commands++;
    return command(args, this.#address);
  }

  /** Repeats the command until it says that it is done, or that it was done before. */
  #command(args: readonly string[], done = /^$/): Promise<string> {
    return until(args.join(' '), async () => {
      const { code, out } = await this.#once(args);
      return code === 0 || done.test(out) ? { done: out } : { failed: out };
    });
  }

  /** Repeats the request until it is answered: 409 says that an earlier one did it. */
  #asked(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<string> {
    return until(path, async () => {
      const { status, text } = await this.#post(path, body, headers);
      return status < 300 || status === 409 ? { done: text } : { failed: text };
    });
  }

  async #post(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    figures.requests++;
    try {
      const answer = await fetch(`${this.#fleet.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      });
      return { status: answer.status, text: await answer.text() };
    } catch (thrown) {
      figures.unanswered++;
      return { status: 599, text: String(thrown) };
    }
  }
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

const TRIES = 100;
const BETWEEN_MS = 50;

/** Fails after many tries, with what the last one said. */
async function until<Value>(
  what: string,
  attempt: (tried: number) => Promise<{ readonly done: Value } | { readonly failed: string }>,
): Promise<Value> {
  for (let tried = 0; ; tried++) {
    const result = await attempt(tried);
    if ('done' in result) return result.done;
    if (tried === TRIES) throw new Error(`${what}: ${result.failed}`);
    await setTimeout(BETWEEN_MS);
  }
}

const tried = (attempt: number): boolean => attempt > 0;
const isEnded = /has ended already/;
const isDecided = /decided|answered|nothing|not wait/i;

test.each(Array.from({ length: ROUNDS }, (_, round) => round))(
  'an answer of HTTP or a command holds, whatever dies (%i)',
  { timeout: 240_000 },
  async (round) => {
    const address = await freshStore(server);
    const roll = dice(round * 104_729 + 7);
    const store = postgresStore(address, { warn() {} });
    await store.list(); // from now on it waits out an outage
    const fleet = new Fleet(address, roll);
    await fleet.open();
    const over = new AbortController();
    const disturbing = disturb(fleet, roll, over.signal);
    try {
      const told = await Promise.all(
        Array.from({ length: RUNS }, (_, index) => {
          const person = new Person(fleet, address, index % 2 === 0 ? 'http' : 'commands');
          return conversation(person, index, store);
        }),
      );
      expect(await store.list()).toHaveLength(RUNS); // one request is one run, however often it was sent
      for (const { run, accepted, isCancelled: wasCancelled } of told) await count(run, accepted, wasCancelled, store);
    } finally {
      over.abort();
      await disturbing;
      await fleet.close();
      await store.close?.();
    }
  },
);

async function disturb(fleet: Fleet, roll: (below: number) => number, over: AbortSignal): Promise<void> {
  const first = roll(7);
  for (let step = first; step < first + DISTURBED && !over.aborted; step++) {
    await setTimeout(100 + roll(500));
    if (!over.aborted) await fleet.disturb(step);
  }
}

interface Told {
  readonly run: RunId;
  readonly accepted: readonly string[];
  readonly isCancelled: boolean;
}

async function conversation(person: Person, index: number, store: RunStore): Promise<Told> {
  const run = await person.start(`request ${index}`);
  await person.approve(run, await waitingOp(run, store));
  for (let number = 0; number < MESSAGES; number++) await person.say(run, `message <${number}>`);
  if (isCancelled(index)) await person.cancel(run);
  else await person.say(run, 'that is all');
  for await (const _ of store.follow(run, 0, new AbortController().signal)) void _;
  return { run, accepted: person.accepted, isCancelled: isCancelled(index) };
}

async function waitingOp(run: RunId, store: RunStore): Promise<string> {
  for await (const event of store.follow(run, 0, new AbortController().signal))
    if (event.type === 'op-start' && event.op.kind === 'approval') return event.path;
  throw new Error('it ended');
}

async function count(run: RunId, accepted: readonly string[], wasCancelled: boolean, store: RunStore): Promise<void> {
  const events = await eventsOf(store, run);
  expect(outcomeOf(events)).toMatchObject(
    wasCancelled ? { kind: 'cancelled' } : { kind: 'answered', text: 'I heard all of it.' },
  );
  expect(await replay(events, await pinnedCadre(startOf(events), store), services)).toMatchObject({
    kind: 'identical',
  });
  const said = saidIn(events);
  messages.accepted += accepted.length;
  messages.lost += accepted.filter((text) => !said.includes(text)).length;
  messages.twice += said.length - new Set(said).size;
  expect(messages).toMatchObject({ lost: 0, twice: 0 });
  const { finished, cutOff, repeated } = modelCalls(events);
  figures.runs++;
  calls.finished += finished;
  calls.cutOff += cutOff;
  calls.repeated += repeated;
  expect(repeated).toBe(0);
}

const saidIn = (events: readonly RunEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === 'control' && event.message.kind === 'send' ? [event.message.text] : []));
