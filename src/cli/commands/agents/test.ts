// cadre test: runs the *.test.yaml files of a folder, and says what does not hold.

import { watch as watchFolder, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { EXIT, fail, faultOf } from '../../../kernel/fault.ts';
import { type FoundFile, findTests } from '../../../suite/find-tests.ts';
import type { CaseResult } from '../../../suite/run-case.ts';
import { runSuite, type SuiteResult } from '../../../suite/suite.ts';
import { plural } from '../../../views/amounts.ts';
import { junit } from '../../render/junit.ts';
import { caseLine, failedCaseText, modelsText, summaryText } from '../../render/test-text.ts';
import { print, printJson, tell } from '../../screen/out.ts';
import { columnsOf, paintFor } from '../../screen/terminal.ts';

export interface TestOptions {
  readonly live?: boolean;
  readonly update?: boolean;
  readonly watch?: boolean;
  readonly list?: boolean;
  readonly json?: boolean;
  readonly junit?: string;
  readonly models?: string;
  readonly only?: string;
  readonly atOnce?: string;
  readonly keep?: boolean;
}

const AT_ONCE = 16;

export async function test(targets: readonly string[], options: TestOptions): Promise<number> {
  const places = targets.length === 0 ? ['.'] : targets;
  const models = (options.models ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const atOnce = Number(options.atOnce ?? AT_ONCE);
  if (!Number.isInteger(atOnce) || atOnce < 1)
    fail('usage', `--at-once takes a whole number above 0, not "${options.atOnce}".`);
  if (options.watch === true) return watching(places, models, atOnce, options);
  const files = await findTests(places);
  if (files.every(({ cases }) => cases.length === 0)) return none(places);
  if (options.list === true) return list(files, options);
  return once(files, models, atOnce, options);
}

function none(places: readonly string[]): number {
  tell(
    `There are no tests in ${places.join(', ')}. A test file ends in .test.yaml; make one from a run with: cadre run … --save-test <file>`,
  );
  return EXIT.failed;
}

async function once(
  files: readonly FoundFile[],
  models: readonly string[],
  atOnce: number,
  options: TestOptions,
): Promise<number> {
  const paint = paintFor(process.stdout);
  const quiet = options.json === true;
  const stop = new AbortController();
  const interrupted = (): void => stop.abort();
  process.once('SIGINT', interrupted);
  process.once('SIGTERM', interrupted);
  const keep = options.keep !== false;
  const failed: CaseResult[] = [];
  try {
    const { results, ms } = await runSuite(files, {
      live: options.live === true,
      update: options.update === true,
      models,
      ...(options.only !== undefined && { only: options.only }),
      atOnce,
      keep,
      signal: stop.signal,
      tell(result) {
        if (result.state === 'failed') failed.push(result);
        if (!quiet) print(caseLine(result, paint));
      },
      warn: tell,
    });
    if (options.junit !== undefined) writeFileSync(options.junit, `${junit(results, ms)}\n`);
    if (quiet) printJson(JSON.stringify(plainResults({ results, ms }), null, 2));
    else {
      for (const result of failed) print(`\n${failedCaseText(result, keep, paint)}`);
      if (models.length > 1) print(`\n${modelsText(results, models, columnsOf(process.stdout))}`);
      print(`\n${summaryText(results, ms, paint)}`);
    }
    if (stop.signal.aborted) return EXIT.cancelled;
    if (results.length === 0) fail('usage', `No case has "${options.only}" in its name.`);
    return failed.length === 0 ? EXIT.answered : EXIT.failed;
  } finally {
    process.off('SIGINT', interrupted);
    process.off('SIGTERM', interrupted);
  }
}

/** What a program wants to know: without the events, which `cadre show --json` has. */
function plainResults({ results, ms }: SuiteResult): unknown {
  return {
    ms: Math.round(ms),
    results: results.map(({ test: { name, file, line, agent }, observed, verdicts, ...rest }) => ({
      name,
      file,
      line,
      agent,
      ...rest,
      ...(observed !== undefined && {
        outcome: observed.outcome,
        totals: observed.totals,
        ms: observed.ms,
        agents: observed.agents.map((one) => one.name),
        tools: observed.tools.map((one) => one.name),
      }),
      ...(verdicts !== undefined && { verdicts }),
    })),
  };
}

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
async function watching(
  places: readonly string[],
  models: readonly string[],
  atOnce: number,
  options: TestOptions,
): Promise<number> {
  const leave = new AbortController();
  process.once('SIGINT', () => leave.abort());
  const { watch: _watch, ...rest } = options;
  let changed: () => void = () => undefined;
  const watchers = places.map((place) =>
    watchFolder(resolve(place), { recursive: true, signal: leave.signal }, (_event, name) => {
      if (name !== null && !/(?:^|[\\/])(?:\.cadre|node_modules|\.git)(?:[\\/]|$)|\.snapshots\.json/.test(name))
        changed();
    }),
  );
  try {
    while (!leave.signal.aborted) {
      const next = new Promise<void>((done) => {
        changed = () => setTimeout(done, SETTLE_MS);
        leave.signal.addEventListener('abort', () => done(), { once: true });
      });
      try {
        await once(await findTests(places), models, atOnce, rest);
      } catch (thrown) {
        tell(`error: ${faultOf(thrown).message}`);
      }
      if (leave.signal.aborted) break;
      tell('Waiting for changes. Ctrl+C ends it.');
      await next;
    }
  } finally {
    for (const watcher of watchers) watcher.close();
  }
  return EXIT.answered;
}
