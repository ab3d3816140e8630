// Tells those who wait for a run that something may have happened to it: that events were written, or that messages were
// posted. Other processes tell at once; besides, one statement a second asks about all runs that somebody waits for.
// LOOK-1. Being told is a hint and may be lost. Looking is not: what was missed is found within a second.
// LOOK-2. A process that writes a run tells of its events only while somebody follows it: a commit that tells waits for
//         every other commit that does. Followers say so every few seconds. The end of a run is always told.

import type { RunId } from '../../journal/event.ts';
import type { Database, Statement } from './database.ts';
import type { Channel, HolderSession } from './session.ts';

const LOOK_MS = 1000;
const INTEREST_MS = 5000;
const INTEREST_LASTS_MS = 15_000;

const CHANGED: Statement = {
  text: `select r.run, r.events, r.outcome is not null as ended, false as posted from cadre_run r where r.run = any($1::text[])
         union all
         select t.run, 0, false, true from unnest($2::text[]) as t (run)
           where exists (select 1 from cadre_cell c
             where c.space = 'control' and c.key > t.run || '/' and c.key < t.run || '0')`,
};

const TELL: Statement = {
  name: 'cadre-tell',
  text: 'select pg_notify($1, told) from unnest($2::text[]) as told',
};

interface Changed {
  readonly run: RunId;
  readonly events: number;
  readonly ended: boolean;
  readonly posted: boolean;
}

export class RunWatcher {
  readonly #database: Database;
  readonly #session: HolderSession;
  readonly #waiting: Readonly<Record<'events' | 'control' | 'end', Map<RunId, Set<() => void>>>> = {
    events: new Map(),
    control: new Map(),
    end: new Map(),
  };
  /** The last state of each run that is followed. */
  readonly #seen = new Map<RunId, string>();
  /** The runs that somebody follows, and until when that counts. */
  readonly #followed = new Map<RunId, number>();
  readonly #others = new Map<string, Set<(rest: string) => void>>();
  #timer: NodeJS.Timeout | undefined;
  #interestAt = 0;
  #looking = false;
  #isClosed = false;

  constructor(database: Database, session: HolderSession) {
    this.#database = database;
    this.#session = session;
    session.onOpened(() => void this.#look());
  }

  /** Hears from now on. Called by each process that writes, follows or waits. */
  listen(channel: Exclude<Channel, 'live'> = 'told'): void {
    this.#session.listen(channel, (payload) => this.#heard(payload));
  }

  wait(kind: 'events' | 'control' | 'end', run: RunId, told: () => void): () => void {
    this.listen(kind === 'control' ? 'told' : 'runs'); // most processes wait for no run
    const all = this.#waiting[kind];
    const mine = all.get(run) ?? new Set();
    const isFirst = mine.size === 0;
    all.set(run, mine.add(told));
    this.#timer ??= setInterval(() => void this.#look(), LOOK_MS).unref();
    if (kind === 'events' && isFirst) void this.#showInterest([run]);
    return () => {
      mine.delete(told);
      if (mine.size > 0 || all.get(run) !== mine) return;
      all.delete(run);
      if (kind === 'events') this.#seen.delete(run);
      if (Object.values(this.#waiting).some(({ size }) => size > 0)) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  /** Hears what is told under another word: work, free slots. */
  on(word: string, told: (rest: string) => void): () => void {
    this.listen(word === 'work' ? 'work' : 'told');
    const all = this.#others.get(word) ?? new Set();
    this.#others.set(word, all.add(told));
    return () => void all.delete(told);
  }

  /** True if somebody follows the run, in any process (LOOK-2). */
  isFollowed(run: RunId): boolean {
    const until = this.#followed.get(run);
    if (until === undefined) return false;
    if (until > Date.now()) return true;
    this.#followed.delete(run);
    return false;
  }

  async tell(words: readonly string[], channel: Channel = 'told'): Promise<void> {
    await this.#database.query(TELL, [await this.#session.channel(channel), words]);
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
  }

  #heard(payload: string): void {
    const [word = '', rest = ''] = payload.split(' ', 2);
    if (word === 'ended') this.#ring(rest, 'events', 'end');
    else if (word === 'events' || word === 'control') this.#ring(rest, word);
    else if (word === 'follows') this.#noteInterest(rest);
    else for (const told of this.#others.get(word) ?? []) told(rest);
  }

  #ring(run: RunId, ...kinds: readonly ('events' | 'control' | 'end')[]): void {
    for (const kind of kinds) for (const told of this.#waiting[kind].get(run) ?? []) told();
  }

  #noteInterest(run: RunId): void {
    const now = Date.now();
    this.#followed.set(run, now + INTEREST_LASTS_MS);
    if (this.#followed.size < 10_000) return;
    for (const [one, until] of this.#followed) if (until <= now) this.#followed.delete(one);
  }

  async #showInterest(runs: readonly RunId[]): Promise<void> {
    await this.tell(runs.map((run) => `follows ${run}`)).catch(() => {}); // LOOK-1
  }

  /** Nothing waits for this, so a failure is left to those who ask the database themselves. */
  async #look(): Promise<void> {
    const { events, control, end } = this.#waiting;
    if (this.#looking || this.#isClosed || events.size + control.size + end.size === 0) return;
    this.#looking = true;
    try {
      const followed = [...events.keys()];
      const found = await this.#database.query<Changed & Record<string, unknown>>(CHANGED, [
        [...new Set([...followed, ...end.keys()])],
        [...control.keys()],
      ]);
      this.#compare(followed, found);
      if (followed.length > 0 && Date.now() - this.#interestAt > INTEREST_MS) {
        this.#interestAt = Date.now();
        await this.#showInterest(followed);
      }
    } catch {
      for (const run of [...events.keys(), ...end.keys()]) this.#ring(run, 'events', 'end'); // they ask, and get the failure
    } finally {
      this.#looking = false;
    }
  }

  #compare(followed: readonly RunId[], found: readonly Changed[]): void {
    const now = new Map<RunId, string>();
    for (const { run, events, ended, posted } of found) {
      if (posted) this.#ring(run, 'control');
      else now.set(run, `${events} ${ended}`);
      if (ended) this.#ring(run, 'end');
    }
    for (const run of this.#waiting.end.keys()) if (!now.has(run)) this.#ring(run, 'end'); // it is gone
    for (const run of followed) {
      const state = now.get(run) ?? 'gone';
      if (this.#seen.get(run) === state) continue;
      this.#seen.set(run, state);
      this.#ring(run, 'events');
    }
  }
}
