// Makes mistakes in the source, one at a time, and looks whether a test fails on each. No file is changed: the tests run on
// source in which one place reads otherwise. Tests that go through the built command run on the build, and are left out.
//   npm run mutations                              the nine mistakes that no test of 0.2.0 caught
//   npm run mutations -- --sample 60 --seed 1      60 at random in each of the rooms below
//   npm run mutations -- --sample 60 --seed 1 --write    and writes docs/mutations.md
//   npm run mutations -- --sample 12 --rooms src/kernel,src/world
//   npm run mutations -- --sample 60 --for 170     ends after so many seconds, and goes on next time; the page says what is left
// Answers are kept in coverage/mutations: a sample that was broken off goes on, and one that was taken makes again only the
// mistakes in files that have changed since, and shows those that survived to tests that are new or have changed.

import { commandLine } from './command-line.mjs';
import { byText, textOf } from './house/files.mjs';
import { batchesFor } from './mutations/batches.mjs';
import { KNOWN } from './mutations/known.mjs';
import { hasReason, writePage } from './mutations/page.mjs';
import { keptRecord, takeRecord, testFilesFor } from './mutations/records.mjs';
import { keptAnswers } from './mutations/results.mjs';
import { Tester } from './mutations/run.mjs';
import { sampleOf, sourceOf } from './mutations/sample.mjs';
import { noticeOf } from './mutations/verdict.mjs';

/** The rooms in which a mistake is dear: what is paid, recorded, locked or let in. */
const ROOMS = 'src/kernel,src/patterns,src/world,src/models/failover.ts,src/stores,src/server/runs,src/server/auth';

const { values } = commandLine(import.meta.url, {
  options: {
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    rooms: { type: 'string', default: ROOMS },
    /** The tests that look at one mistake take so many seconds at most. */
    seconds: { type: 'string', default: '15' },
    for: { type: 'string', default: 'Infinity' },
    /** So many processes run tests at the same time, as they do in vitest.config.ts. */
    workers: { type: 'string', default: '2' },
    write: { type: 'boolean', default: false },
  },
});

const end = Date.now() + Number(values.for) * 1000;
const isTimeUp = () => Date.now() > end;
const workers = Array.from({ length: Number(values.workers) }, () => ({
  tester: new Tester(),
  marked: new Tester('marked'),
}));

/** Does the work for each of the items, as many at a time as there are workers. */
async function forEach(items, work) {
  const left = items.values();
  await Promise.all(
    workers.map(async (worker) => {
      for (const item of left) await work(item, worker);
    }),
  );
}

async function knownMistakes() {
  let survivors = 0;
  for (const { file, from, to, tests, says } of KNOWN) {
    const text = textOf(file);
    const start = text.indexOf(from);
    if (start === -1 || text.includes(from, start + 1)) throw new Error(`${file} does not have once: ${from}`);
    const mistake = { file, start, end: start + from.length, text: to };
    const notice = await firstNotice(
      mistake,
      tests.map((path) => ({ file: path })),
      workers[0].tester,
    );
    console.log(`${notice ? 'caught  ' : 'SURVIVED'}  ${file}: ${says}`);
    if (!notice) survivors++;
  }
  console.log(`${KNOWN.length - survivors} of ${KNOWN.length} caught`);
  process.exitCode = survivors === 0 ? 0 : 1;
}

async function firstNotice(mistake, batches, tester) {
  for (const batch of batches) {
    const notice = await noticeOf(mistake, batch, tester);
    if (notice !== undefined) return notice;
  }
  return undefined;
}

async function sampleMistakes(count, rooms) {
  const samples = await sampleOf(rooms, count, values.seed);
  const trial = new Trial();
  // Most mistakes are noticed by the tests in the folders of the source, which take the least time: these look first.
  const testFiles = testFilesFor([...new Set(samples.flat().map(({ file }) => file))]);
  const all = Number(values.seconds) * 1000;
  const groups = [
    { isIn: (path) => path.startsWith('src/'), mostMs: all / 5 },
    { isIn: (path) => path.startsWith('test/'), mostMs: all },
  ];
  for (const { isIn, mostMs } of groups) {
    const group = testFiles.filter(({ path }) => isIn(path));
    await trial.meet(group);
    await forEach(inTurn(samples), (mistake, { tester }) => trial.show(mistake, mostMs, tester));
  }
  const results = rooms.map((room, index) => ({
    room,
    mistakes: samples[index].map((mistake) => ({ ...mistake, ...trial.of(mistake) })).sort(byPlace),
  }));
  const command = `npm run mutations -- --sample ${count} --seed ${values.seed}`;
  if (isTimeUp()) console.log('Something is left: the same command goes on.');
  console.log(`\n${writePage(results, { command, isKept: values.write })}`);
}

const byPlace = (one, other) => (one.file === other.file ? 0 : byText(one.file, other.file)) || one.line - other.line;

/** One of each room, then the next of each: where it is broken off, all rooms have come as far. */
const inTurn = (samples) =>
  Array.from({ length: Math.max(...samples.map(({ length }) => length)) }, (_, nth) =>
    samples.flatMap((sample) => sample.slice(nth, nth + 1)),
  ).flat();

/** Shows mistakes to tests, and keeps the answers. */
class Trial {
  #records = [];
  #kept = keptAnswers('results');
  /** The number of mistakes that a test file noticed in a source file. */
  #noticed = new Map();
  /** Mistakes that tests are left for, and test files without a record. */
  #open = new Set();
  #unmet = [];

  /** Takes the record of each test file that is new. */
  async meet(testFiles) {
    const kept = testFiles.map((one) => [one, keptRecord(one)]);
    this.#records.push(...kept.flatMap(([, record]) => record ?? []));
    const missing = kept.filter(([, record]) => record === undefined);
    await forEach(missing, async ([one], { marked }) => {
      if (isTimeUp()) return void this.#unmet.push(one);
      const taken = await takeRecord(one, marked);
      this.#records.push(taken);
      const { path, ended, failed, errors, tests, ms } = taken;
      const why = ended === 'passed' ? '' : `, ${ended}: ${failed[0] ?? errors[0]}`;
      console.log(`${seconds(ms)}  ${path}: ${tests.length} tests${why}`);
    });
  }

  /** Shows a mistake to the tests that have not seen it. One that has a reason to stay was shown before. */
  async show(mistake, mostMs, tester) {
    if (hasReason(mistake)) return;
    const basis = sourceOf(mistake);
    const { caught, seen = [], by, ms = 0 } = this.#kept.of(mistake.name, basis) ?? {};
    const batches = caught ? [] : batchesFor(mistake, this.#records, this.#noticed, mostMs);
    const left = batches.filter(({ key }) => !seen.includes(key));
    if (caught) this.#count(mistake, by);
    this.#open.delete(mistake.name);
    if (left.length === 0) return;
    if (isTimeUp()) return void this.#open.add(mistake.name);
    const begun = Date.now();
    const shown = [];
    let notice;
    for (const batch of left) {
      if (isTimeUp()) break;
      notice = await noticeOf(mistake, batch, tester);
      if (notice !== undefined) break;
      shown.push(batch.key);
    }
    const took = Date.now() - begun;
    const answer = notice === undefined ? { seen: [...seen, ...shown] } : { caught: true, ...notice };
    this.#kept.keep(mistake.name, basis, { ...answer, ms: ms + took });
    if (notice !== undefined) this.#count(mistake, notice.by);
    else if (shown.length < left.length) this.#open.add(mistake.name);
    const said = notice === undefined ? `not noticed in ${shown.length} of ${left.length}` : `caught by ${notice.by}`;
    console.log(`${seconds(took)}  ${mistake.file}:${mistake.line}  ${mistake.says}: ${said}`);
  }

  of(mistake) {
    const caught = this.#kept.of(mistake.name, sourceOf(mistake))?.caught === true;
    const isOpen = this.#open.has(mistake.name) || this.#unmet.some(({ imports }) => imports.has(mistake.file));
    return { caught, isOpen: isOpen && !caught && !hasReason(mistake) };
  }

  #count({ file }, by) {
    const key = `${file} ${by}`;
    this.#noticed.set(key, (this.#noticed.get(key) ?? 0) + 1);
  }
}

const seconds = (ms) => `${(ms / 1000).toFixed(1).padStart(6)} s`;

try {
  if (values.sample === undefined) await knownMistakes();
  else await sampleMistakes(Number(values.sample), values.rooms.split(','));
} finally {
  for (const { tester, marked } of workers) {
    tester.close();
    marked.close();
  }
}
