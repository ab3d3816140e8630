// cadre test: runs the *.test.yaml files of a folder, and says what does not hold.

import { watch as watchFolder, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type FoundFile, findTests } from '../../../agent-tests/find-tests.ts';
import { runSuite, type SuiteResult } from '../../../agent-tests/suite.ts';
import { testCommand } from '../../../agent-tests/test-command.ts';
import { isWatched } from '../../../agent-tests/watch-filter.ts';
import { newRunId } from '../../../engine/run-id.ts';
import { serversWithAuth } from '../../../engine/sign-in/sign-in.ts';
import type { RunStore } from '../../../journal/store.ts';
import { EXIT, fail, faultOf } from '../../../kernel/fault.ts';
import { plural } from '../../../views/amounts.ts';
import { type CandidateRow, candidateRows } from '../../../views/tests/candidates.ts';
import { ofTeams } from '../../../views/tests/compared.ts';
import type { RecordedCase } from '../../../views/tests/test-record.ts';
import { openStore, type StoreOptions, type StorePlace, storeOfCadre } from '../../lookup/store-place.ts';
import { wholeNumber } from '../../lookup/whole-number.ts';
import { candidatesText } from '../../render/candidates-text.ts';
import { junit } from '../../render/junit.ts';
import { caseLine, failedCaseText, modelsText, summaryText } from '../../render/test-text.ts';
import { notify, print, printJson } from '../../screen/output.ts';
import { columnsOf, paintFor } from '../../screen/terminal.ts';

export interface TestOptions extends StoreOptions {
  readonly live?: boolean;
  readonly update?: boolean;
  readonly watch?: boolean;
  readonly list?: boolean;
  readonly json?: boolean;
  readonly junit?: string;
  readonly models?: string;
  readonly only?: string;
  readonly atOnce?: string;
  /** `--keep`: the runs of cases that passed, too. `--no-keep`: nothing. */
  readonly keep?: boolean;
  readonly alone?: boolean;
  readonly times?: string;
  /** A result that is kept, by its id; true: all of them. */
  readonly results?: string | true;
}

/** The cases to run, and their models. */
interface TestRequest {
  readonly places: readonly string[];
  readonly models: readonly string[];
  readonly atOnce: number;
  readonly alone: boolean;
  /** The number of times that each case is run. */
  readonly times: number;
  /** The id of the result. While files are watched, each round replaces the one before. */
  readonly id: string;
  readonly options: TestOptions;
}

export async function test(targets: readonly string[], options: TestOptions): Promise<number> {
  if (options.results !== undefined)
    return (await import('./test-results.ts')).testResults({ ...options, results: options.results });
  const models = (options.models ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const { atOnce = '16' } = options;
  const places = targets.length === 0 ? ['.'] : targets;
  const asked: TestRequest = {
    places,
    models: [...new Set(models)],
    atOnce: wholeNumber('--at-once', atOnce, { least: 1, says: 'a whole number above 0' }),
    alone: options.alone === true,
    times: timesOf(options),
    id: newRunId(Date.now()),
    options,
  };
  if (options.watch === true) return watching(asked);
  const files = await findTests(places);
  if (files.every(({ cases }) => cases.length === 0)) return none(places);
  if (options.list === true) return list(files, options);
  return once(files, asked);
}

/** A script and a recording answer the same each time. */
function timesOf({ times = '1', live }: TestOptions): number {
  const count = wholeNumber('--times', times, { least: 1, most: 1000, says: 'a whole number from 1 to 1000' });
  if (count > 1 && live !== true) fail('usage', '--times goes with --live: without live models each time is the same.');
  return count;
}

function none(places: readonly string[]): number {
  notify(
    `There are no tests in ${places.map((place) => (place === '.' ? 'this folder' : place)).join(', ')}. A test file ends in .test.yaml; make one from a run with: cadre run … --save-test <file>`,
  );
  return EXIT.failed;
}

async function once(files: readonly FoundFile[], asked: TestRequest): Promise<number> {
  const { models, atOnce, alone, times, id, options } = asked;
  const paint = paintFor(process.stdout);
  const quiet = options.json === true;
  const stop = new AbortController();
  const interrupted = (): void => stop.abort();
  process.once('SIGINT', interrupted);
  process.once('SIGTERM', interrupted);
  const stores = openedStores(options);
  const signedIn = openedStores(options);
  const failed: RecordedCase[] = [];
  try {
    const suite = await runSuite(files, {
      live: options.live === true,
      addsAnswers: options.live === true,
      update: options.update === true,
      models,
      alone,
      times,
      ...(options.only !== undefined && { only: options.only }),
      atOnce,
      ...(options.keep !== false && {
        keep: {
          id,
          command: testCommand({ ...asked, live: options.live === true, only: options.only }),
          from: process.cwd(),
          storeOf: stores.of,
          now: Date.now,
          keepAll: options.keep === true,
        },
      }),
      signal: stop.signal,
      signInsOf: async (cadre) =>
        serversWithAuth(cadre).length === 0 ? undefined : (await signedIn.of(cadre)).signIns,
      tell(one) {
        if (one.state === 'failed') failed.push(one);
        if (!quiet) print(caseLine(one, paint));
      },
      warn: notify,
    });
    const { results, cases, ms } = suite;
    if (options.junit !== undefined) writeFileSync(options.junit, `${junit(ofTeams(results), ms)}\n`);
    if (quiet) printJson(JSON.stringify({ id, ...plainResults(suite) }, null, 2));
    else {
      for (const one of failed) print(`\n${failedCaseText(one, stores.flag() ?? '', paint)}`);
      if (alone || times > 1) print(`\n${candidatesText(suite, asked, columnsOf(process.stdout))}`);
      else if (models.length > 1) print(`\n${modelsText(cases, models, columnsOf(process.stdout))}`);
      print(`\n${summaryText(ofTeams(cases), ms, paint)}`);
      if (stores.flag() !== undefined && results.length > 0)
        print(
          paint('faint', `Again: cadre test --results ${id}${stores.flag()}  On the page of cadre serve: /tests/${id}`),
        );
    }
    if (stop.signal.aborted) return EXIT.cancelled;
    if (results.length === 0) fail('usage', `No case has "${options.only}" in its name.`);
    return ofTeams(failed).length === 0 ? EXIT.answered : EXIT.failed;
  } finally {
    process.off('SIGINT', interrupted);
    process.off('SIGTERM', interrupted);
    await stores.close();
    await signedIn.close();
  }
}

/** The stores of cadres, one for each place. */
function openedStores(options: StoreOptions) {
  const open = new Map<string, { readonly place: StorePlace; readonly store: RunStore }>();
  return {
    async of(cadre: FoundFile['cadre']): Promise<RunStore> {
      const place = storeOfCadre(options, cadre);
      const store = open.get(place.shown)?.store ?? (await openStore(place, notify));
      open.set(place.shown, { place, store });
      return store;
    },
    /** The option by which a later command finds them. Undefined if none was opened. */
    flag: (): string | undefined => [...open.values()][0]?.place.flag,
    async close(): Promise<void> {
      for (const { store } of open.values()) await store.close?.();
    },
  };
}

/** The results for a program: without the events, which `cadre show --json` has. */
function plainResults({ results, cases, candidates, ms: whole }: SuiteResult): object {
  return {
    ms: Math.round(whole),
    ...(candidates.length > 1 && { candidates: candidateRows(cases, candidates).map(plainCandidate) }),
    results: results.map(({ test: { name, file, line, agent }, observed, verdicts, spent, ms, ...rest }) => ({
      name,
      file,
      line,
      agent,
      ...rest,
      ...(observed !== undefined && {
        outcome: observed.outcome,
        totals: spent,
        ms,
        agents: observed.agents.map((one) => one.name),
        tools: observed.tools.map((one) => one.name),
      }),
      ...(verdicts !== undefined && { verdicts }),
    })),
  };
}

/** The sums of a candidate over all that count. */
const plainCandidate = ({ kind, model, cases, passed, of, leftOut, range, spent, ms }: CandidateRow): object => ({
  kind,
  ...(model !== undefined && { model }),
  cases,
  tries: of,
  passed,
  leftOut,
  range,
  ...(spent.usd !== undefined && { usd: spent.usd }),
  ...(spent.unpriced > 0 && { unpriced: spent.unpriced }),
  tokens: spent.input + spent.output,
  ...(ms !== undefined && { ms: ms.median }),
});

/** The cases, and which of them share a recording or a script. */
function list(files: readonly FoundFile[], { only, json }: TestOptions): number {
  const cases = files.flatMap((file) => file.cases).filter(({ name }) => only === undefined || name.includes(only));
  if (json === true) {
    printJson(JSON.stringify(cases, null, 2));
    return EXIT.answered;
  }
  const paint = paintFor(process.stdout);
  for (const { name, file, line, agent } of cases) print(`${name}  ${paint('faint', `${file}:${line} · ${agent}`)}`);
  const answering = new Map<string, string[]>();
  for (const { name, model } of cases)
    if (model.kind !== 'own') answering.set(model.file, [...(answering.get(model.file) ?? []), name]);
  for (const [file, names] of answering)
    print(
      `\n${paint('strong', file)}  ${paint('faint', `answers in ${plural(names.length, 'case')}`)}\n  ${names.join('\n  ')}`,
    );
  return EXIT.answered;
}

const SETTLE_MS = 150;

/** Runs them again whenever a file changes, until Ctrl+C. A mistake in a file is told, and waited out. */
async function watching(asked: TestRequest): Promise<number> {
  const { places, options } = asked;
  const leave = new AbortController();
  process.once('SIGINT', () => leave.abort());
  let changed: () => void = () => undefined;
  let left: () => void = () => undefined;
  leave.signal.addEventListener('abort', () => left());
  const watchers = places.map((place) =>
    watchFolder(resolve(place), { recursive: true, signal: leave.signal }, (_event, name) => {
      if (name !== null && isWatched(name, place, options.junit)) changed();
    }),
  );
  try {
    while (!leave.signal.aborted) {
      const next = new Promise<void>((done) => {
        changed = () => setTimeout(done, SETTLE_MS);
        left = done;
      });
      try {
        await once(await findTests(places), asked);
      } catch (thrown) {
        notify(`error: ${faultOf(thrown).message}`);
      }
      if (leave.signal.aborted) break;
      notify('Waiting for changes. Ctrl+C ends it.');
      await next;
    }
  } finally {
    for (const watcher of watchers) watcher.close();
  }
  return EXIT.answered;
}
