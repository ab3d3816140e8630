// Lists runs by index, newest first. A row has what a list shows, so no event is read. Who works on a run is asked only
// for the runs that are shown.

import type { RunId } from '../../journal/event.ts';
import { fingerprint } from '../../journal/fingerprint.ts';
import { isRunId, matchRun, unknownRun } from '../../journal/run-names.ts';
import type { RunQuery, RunSummary } from '../../journal/store.ts';
import { indexCounting } from '../index-counting.ts';
import { eventOf, type Unknown } from '../stored-event.ts';
import { countAgain, fits, isWhole, type RecordedSummary, summaryOf, textOfSummary, WHOLE_MARK } from '../summary.ts';
import { asKey } from './as-key.ts';
import type { Database, Statement } from './database.ts';
import { readEvents } from './events.ts';

interface ListingRow {
  readonly run: RunId;
  readonly summary: string;
  readonly held_by: number | null;
  readonly outcome: string | null;
  readonly is_placed: boolean;
  readonly [column: string]: unknown;
}

const COLUMNS = 'run, summary, held_by, outcome, is_placed';
/** The number of rows that are looked at in one go, if not every one of them fits. */
const AT_ONCE = 500;
/** So many rows are counted again without anybody waiting for it. */
const FEW = 50;
/** The number of the newest ids among which a mistyped one is looked for. */
const NEAREST_OF = 1000;

export function postgresListing(database: Database) {
  const counting = indexCounting(FEW);
  const newest = async (): Promise<readonly RunId[]> => idsOf(await page({}, NEAREST_OF));
  const unknown: Unknown = async (run) => unknownRun(run, await newest());

  const page = (query: RunQuery, limit: number): Promise<ListingRow[]> => {
    const { where, values } = conditions(query);
    const limited = `limit $${values.length + 1}`;
    const text = `select ${COLUMNS} from cadre_run where ${where.join(' and ')} order by run desc ${limited}`;
    return database.query<ListingRow>({ name: `cadre-list-${fingerprint(text)}`, text }, [...values, limit]);
  };

  const summaries = async (rows: readonly ListingRow[]): Promise<readonly RunSummary[]> => {
    const holders = [
      ...new Set(rows.flatMap(({ outcome, held_by: by }) => (outcome === null && by !== null ? [by] : []))),
    ];
    const alive = holders.length === 0 ? NOBODY : await aliveOf(database, holders);
    const recorded = await recordedIn(rows);
    return rows.map((row, index) => summaryOfRow(row, recorded[index] as RecordedSummary, alive));
  };
  /** Rows that an earlier release counted are counted again, once. */
  const recordedIn = async (rows: readonly ListingRow[]): Promise<readonly RecordedSummary[]> => {
    const parsed = rows.map(({ summary }) => JSON.parse(summary) as RecordedSummary);
    if (parsed.every(isWhole)) return parsed;
    const [left] = await database.query<{ count: string }>(OLD);
    const ended = counting.begin(Number(left?.count ?? 0));
    try {
      const whole: RecordedSummary[] = [];
      for (const [index, tally] of parsed.entries())
        whole.push(isWhole(tally) ? tally : await countedAgain(tally, rows[index] as ListingRow));
      return whole;
    } finally {
      ended();
    }
  };
  const countedAgain = async (tally: RecordedSummary, row: ListingRow): Promise<RecordedSummary> => {
    const found = await countAgain(tally, readEvents({ database, unknown }, tally.run, 0));
    await database.query(COUNTED, [tally.run, row.summary, textOfSummary(found)]);
    counting.did();
    return found;
  };

  return {
    unknown,
    counting: counting.progress,
    async list(query: RunQuery): Promise<readonly RunSummary[]> {
      const { limit = Number.POSITIVE_INFINITY, text, state } = query;
      const isSieved = text !== undefined || state === 'running' || state === 'broken-off';
      const found: RunSummary[] = [];
      for (let { before } = query; found.length < limit; ) {
        const size = isSieved ? AT_ONCE : Math.min(AT_ONCE, limit - found.length);
        const rows = await page({ ...query, ...(before !== undefined && { before }) }, size);
        const shown = await summaries(rows);
        const asked = text === undefined ? () => '' : await wholeTexts(database, shown);
        for (const one of shown) if (found.length < limit && fits(one, query, () => asked(one.run))) found.push(one);
        before = rows.at(-1)?.run;
        if (rows.length < size) break;
      }
      return found;
    },
    /** The summaries of some runs, some at a time. */
    async *look(runs: readonly RunId[]): AsyncGenerator<readonly RunSummary[]> {
      for (let at = 0; at < runs.length; at += AT_ONCE)
        yield summaries(await database.query<ListingRow>(SOME, [runs.slice(at, at + AT_ONCE)]));
    },
    /** Throws `run/unknown`. */
    async one(run: RunId): Promise<RunSummary> {
      const statement = { name: 'cadre-one', text: `select ${COLUMNS} from cadre_run where run = $1 and events > 0` };
      const [found] = await summaries(await database.query<ListingRow>(statement, [run]));
      return found ?? (await unknown(run));
    },
    async find(name: string): Promise<RunId> {
      if (name === 'last') {
        const [last] = await page({}, 1);
        if (last !== undefined) return last.run;
      }
      if (!isRunId(name)) return matchRun(name, await newest());
      const ids = idsOf(await database.query<ListingRow>(FIND, [name, `${name.replaceAll('_', '\\_')}%`]));
      return matchRun(name, ids.length > 0 ? ids : await newest());
    },
  };
}

const SOME: Statement = { name: 'cadre-some', text: `select ${COLUMNS} from cadre_run where run = any($1::text[])` };

const FIND: Statement = {
  name: 'cadre-find',
  text: `select run from cadre_run where events > 0 and (run = $1 or run like $2) order by run desc limit ${NEAREST_OF}`,
};

const OLD: Statement = {
  name: 'cadre-old',
  text: `select count(*) from cadre_run where events > 0 and summary not like '%${WHOLE_MARK}%'`,
};

/** Nothing is written if the run has gone on meanwhile. */
const COUNTED: Statement = {
  name: 'cadre-counted',
  text: 'update cadre_run set summary = $3 where run = $1 and summary = $2',
};

const idsOf = (rows: readonly Pick<ListingRow, 'run'>[]): RunId[] => rows.map(({ run }) => run);

/** The conditions that the database can decide. The rest is sieved. */
function conditions(query: RunQuery): { readonly where: readonly string[]; readonly values: readonly unknown[] } {
  const where = ['events > 0'];
  const values: unknown[] = [];
  const given = (condition: (parameter: string) => string, value: unknown): void => {
    if (value === undefined) return;
    values.push(value);
    where.push(condition(`$${values.length}`));
  };
  const { before, agent, label, thread, threaded, outcome, since, until, state, waiting } = query;
  given((run) => `run < ${run}`, before);
  given((word) => `agent = ${word}`, asKey(agent) ?? undefined);
  given((word) => `label = ${word}`, asKey(label) ?? undefined);
  given((word) => `thread = ${word}`, asKey(thread) ?? undefined);
  given((word) => `outcome = ${word}`, outcome);
  given((moment) => `started_at >= ${moment}`, since === undefined ? undefined : Math.ceil(since));
  given((moment) => `started_at < ${moment}`, until === undefined ? undefined : Math.ceil(until));
  if (state !== undefined) where.push(`outcome is ${state === 'ended' ? 'not ' : ''}null`);
  if (waiting === true) where.push('waiting > 0');
  if (threaded === true) where.push('thread is not null');
  return { where, values };
}

/** The names of those that are alive, by number. */
type Alive = ReadonlyMap<number, { readonly name: string; readonly kind: string }>;
const NOBODY: Alive = new Map();

async function aliveOf(database: Database, holders: readonly number[]): Promise<Alive> {
  const rows = await database.query<{ id: number; name: string; kind: string }>(
    { name: 'cadre-alive', text: 'select id, name, kind from cadre_alive where id = any($1::int[])' },
    [holders],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

function summaryOfRow(
  { held_by: holder, outcome, is_placed: isPlaced }: ListingRow,
  recorded: RecordedSummary,
  alive: Alive,
): RunSummary {
  const by = holder === null ? undefined : alive.get(holder);
  const found = summaryOf(recorded, () => by !== undefined);
  if (outcome !== null) return found;
  if (by?.kind === 'worker') return { ...found, worker: by.name };
  return by === undefined && isPlaced ? { ...found, queued: true } : found;
}

/** The whole inputs of those whose summary has only the beginning. */
async function wholeTexts(database: Database, shown: readonly RunSummary[]): Promise<(run: RunId) => string> {
  const cut = shown.filter(({ input }) => input.text.endsWith('…')).map(({ run }) => run);
  if (cut.length === 0) return () => '';
  const rows = await database.query<{ run: RunId; version: number; body: string }>(
    { name: 'cadre-asked', text: 'select run, version, body from cadre_event where seq = 0 and run = any($1::text[])' },
    [cut],
  );
  const texts = new Map(
    rows.map((row) => {
      const first = eventOf(row.run, { ...row, seq: 0 });
      return [row.run, first.type === 'run-start' ? first.input.text : ''];
    }),
  );
  return (run) => texts.get(run) ?? '';
}
