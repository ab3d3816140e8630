// The spending of runs. The database sums up the rows of ended runs, so that few rows come over the line.
// SPENDING-1. Sums and the runs that are not in them are of one statement, so no run is left out or counted twice.
// SPENDING-2. A run that ended before the database had these rows is marked. It is looked at once, and has them from then on.
// SPENDING-3. Money is summed up in decimals, so no step of a sum rounds it.

import type { RunId } from '../../journal/event.ts';
import { fingerprint } from '../../journal/fingerprint.ts';
import type { RunTotals, SpentBy, SpentQuery, SpentReport } from '../../journal/run-totals.ts';
import type { RunSummary } from '../../journal/store.ts';
import type { OutcomeKind } from '../../kernel/fault.ts';
import { RunTally, type SummedPart } from '../../views/runs/run-sums.ts';
import { SpentFold } from '../../views/runs/spending.ts';
import type { Database, Statement } from './database.ts';
import { spentRowsText } from './spent-rows.ts';

/** The summaries of some runs; of those that are gone, none. */
type Look = (runs: readonly RunId[]) => AsyncIterable<readonly RunSummary[]>;

export function postgresSpending(
  database: Database,
  look: Look,
): {
  spent(query: SpentQuery): Promise<SpentReport>;
  totals(): Promise<RunTotals>;
} {
  /** Gives the runs that were not summed up to `take`. */
  const others = async (rows: readonly SumRow[], take: (run: RunSummary) => void): Promise<void> => {
    for await (const some of look(rows.flatMap((row) => row.others ?? []))) {
      for (const one of some) take(one);
      const ended = spentRowsText(some);
      if (ended !== null) await database.query(LEARN, [ended]); // SPENDING-2
    }
  };
  return {
    async spent(query) {
      const { by, since = 0, until = NEVER } = query;
      const within = [Math.ceil(since), Math.ceil(Math.min(until, NEVER))];
      const days = isOfTimes(by) ? [timesOf(await database.query<Day>(DAYS, within), query)] : [];
      const rows = await database.query<SumRow>(sumsBy(by), [...within, ...days]);
      const sums = new SpentFold(query);
      for (const row of rows)
        if (row.at !== null) addTo(sums, row.at, row, by.includes('agent') || by.includes('model'));
      await others(rows, (run) => sums.add(run));
      return sums.report();
    },
    async totals() {
      const tally = new RunTally();
      const rows = await database.query<SumRow>(TOTALS, [0, NEVER]);
      for (const row of rows) if (row.outcome !== null) tally.addPart(row.outcome, partOf(row, row.runs, row.missed));
      await others(rows, (run) => tally.add(run));
      return tally.totals();
    },
  };
}

/** After every run. */
const NEVER = Number.MAX_SAFE_INTEGER;
const DAY_MS = 86_400_000;

interface Day {
  /** Counted from 1970. */
  readonly day: number;
  readonly [column: string]: unknown;
}

/** The days of UTC on which runs began. */
const DAYS: Statement = {
  name: 'cadre-spent-days',
  text: `select distinct (started_at / ${DAY_MS})::float8 as day from cadre_spent where started_at >= $1 and started_at < $2`,
};

/** The beginnings and ends of the days or hours of these days, in order: see `width_bucket`. */
function timesOf(days: readonly Day[], { timeOf }: SpentQuery): readonly number[] {
  const times: number[] = [];
  for (const { day } of days.toSorted((one, other) => one.day - other.day)) {
    for (let at = day * DAY_MS; at < (day + 1) * DAY_MS; ) {
      const time = timeOf(at);
      if (time === undefined) return times;
      if (time.from >= (times.at(-1) ?? Number.NEGATIVE_INFINITY)) times.push(time.from, time.to);
      at = time.to;
    }
  }
  return times;
}

/** A sum of runs that have ended, or in the last row the runs that are not summed up (SPENDING-1). */
interface SumRow {
  readonly others: readonly RunId[] | null;
  /** When one of them began. Null in the last row. */
  readonly at: number | null;
  readonly outcome: OutcomeKind | null;
  /** JSON. Null where sums are not by them, and for runs without a call. */
  readonly agent: string | null;
  readonly model: string | null;
  /** Runs, and those of them without an answer. */
  readonly counted: number;
  readonly counted_missed: number;
  /** The same of those that no other row counts here. */
  readonly runs: number;
  readonly missed: number;
  readonly calls: number;
  readonly input: number;
  readonly output: number;
  readonly usd: number | null;
  readonly unpriced: number;
  readonly [column: string]: unknown;
}

const partOf = ({ calls, input, output, usd, unpriced }: SumRow, runs: number, notAnswered: number): SummedPart => ({
  runs,
  notAnswered,
  calls,
  tokens: { input, output },
  ...(usd !== null && { usd }),
  unpriced,
});

function addTo(sums: SpentFold, at: number, row: SumRow, isByCaller: boolean): void {
  sums.addTotal(partOf(row, row.runs, row.missed));
  if (isByCaller && row.agent === null && row.model === null) return; // runs without a call
  const key = { agent: wordIn(row.agent), model: wordIn(row.model) };
  sums.addRow(at, key, partOf(row, row.counted, row.counted_missed));
}

const wordIn = (key: string | null): string | undefined => (key === null ? undefined : (JSON.parse(key) as string));

/** A run that has ended meanwhile may have begun in none of these times: then it has a row of its own. */
const TIME = `case when width_bucket(started_at, $3::bigint[]) % 2 = 1 then width_bucket(started_at, $3::bigint[])
  else -started_at end`;

function sumsBy(by: readonly SpentBy[]): Statement {
  const [isByTime, isByAgent, isByModel] = [isOfTimes(by), by.includes('agent'), by.includes('model')];
  const text = sumsText({
    ...(isByTime && { time: TIME }),
    ...(isByAgent && { agent: 'agent', counted: 'is_agents_first' }),
    ...(isByModel && { model: 'model', counted: 'is_models_first' }),
    ...(isByAgent && isByModel && { counted: 'true' }),
  });
  return { name: `cadre-spent-${fingerprint(text)}`, text };
}

const isOfTimes = (by: readonly SpentBy[]): boolean => by.includes('day') || by.includes('hour');

/** SPENDING-1. `counted` holds for one row of each run within a sum. */
const sumsText = ({
  time = '0::bigint',
  outcome = 'null::text',
  agent = 'null::text',
  model = 'null::text',
  counted = 'place = 0',
}: {
  readonly time?: string;
  readonly outcome?: string;
  readonly agent?: string;
  readonly model?: string;
  readonly counted?: string;
}): string => `
select null::text[] as others, min(started_at)::float8 as at, ${outcome} as outcome, ${agent} as agent, ${model} as model,
  (count(*) filter (where ${counted}))::float8 as counted,
  (count(*) filter (where ${counted} and outcome <> 'answered'))::float8 as counted_missed,
  (count(*) filter (where place = 0))::float8 as runs,
  (count(*) filter (where place = 0 and outcome <> 'answered'))::float8 as missed,
  sum(calls)::float8 as calls, sum(input)::float8 as input, sum(output)::float8 as output, sum(usd)::float8 as usd,
  sum(unpriced)::float8 as unpriced
from cadre_spent where place >= 0 and started_at >= $1 and started_at < $2 group by ${time}, 3, 4, 5
union all
select array(
    select run from cadre_run where outcome is null and events > 0 and started_at >= $1 and started_at < $2
    union all
    select run from cadre_spent where place < 0 and started_at >= $1 and started_at < $2),
  null, null, null, null, null, null, null, null, null, null, null, null, null`;

const TOTALS: Statement = { name: 'cadre-totals', text: sumsText({ outcome: 'outcome' }) };

/** A run that is removed meanwhile gets no rows. */
const LEARN: Statement = { name: 'cadre-learn-spent', text: 'select cadre_learn_spent($1)' };
