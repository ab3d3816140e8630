// Makes mistakes in the source, one at a time, and looks whether a test fails on each. No file is changed: the tests run on
// source in which one place reads otherwise. Tests that go through the built command run on the build, and are left out.
//   npm run mutations                              the nine mistakes that no test of 0.2.0 caught
//   npm run mutations -- --sample 60 --seed 1      60 at random in each of the rooms below
//   npm run mutations -- --sample 60 --seed 1 --write    and writes docs/mutations.md
//   npm run mutations -- --sample 12 --rooms src/kernel,src/world
// What a mistake did is kept in coverage/mutations.jsonl: a sample that was broken off goes on, and one that was taken makes
// again only the mistakes in files that have changed since, and those that survived if their tests have.

import { commandLine } from './command-line.mjs';
import { filesBelow, isCode, textOf } from './house/files.mjs';
import { KNOWN } from './mutations/known.mjs';
import { nearestTests } from './mutations/nearest-tests.mjs';
import { writePage } from './mutations/page.mjs';
import { keptResults } from './mutations/results.mjs';
import { closeTester, isCaught } from './mutations/run.mjs';
import { sampleOf } from './mutations/sample.mjs';

/** The rooms in which a mistake is dear: what is paid, recorded, locked or let in. */
const ROOMS = 'src/kernel,src/patterns,src/world,src/models/failover.ts,src/stores,src/server/runs,src/server/auth';

/** So many tests are tried first, then so many more: most mistakes are caught near by. */
const STAGES = [0, 3, 9, Infinity];

const { values } = commandLine(import.meta.url, {
  options: {
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    rooms: { type: 'string', default: ROOMS },
    /** A mistake is looked for by so many test files: those from which the fewest imports lead to it. */
    tests: { type: 'string', default: '24' },
    write: { type: 'boolean', default: false },
  },
});

async function knownMistakes() {
  let survivors = 0;
  for (const { file, from, to, tests, says } of KNOWN) {
    const text = textOf(file);
    const start = text.indexOf(from);
    if (start === -1 || text.includes(from, start + 1)) throw new Error(`${file} does not have once: ${from}`);
    const caught = await isCaught({ file, start, end: start + from.length, text: to }, tests);
    console.log(`${caught ? 'caught  ' : 'SURVIVED'}  ${file}: ${says}`);
    if (!caught) survivors++;
  }
  console.log(`${KNOWN.length - survivors} of ${KNOWN.length} caught`);
  process.exitCode = survivors === 0 ? 0 : 1;
}

async function sampleMistakes(count, names) {
  const nearest = nearestTests([...filesBelow('src'), ...filesBelow('test')].filter(isCode), Number(values.tests));
  const results = keptResults();
  const rooms = [];
  for (const room of names) {
    const survivors = [];
    const mistakes = sampleOf(room, count, values.seed);
    for (const mistake of mistakes) {
      const tests = nearest(mistake.file);
      const caught = results.of(mistake, tests) ?? results.keep(mistake, tests, await tried(mistake, tests));
      if (caught) continue;
      survivors.push(mistake);
      console.log(`survived  ${mistake.file}:${mistake.line}  ${mistake.says}`);
    }
    console.log(`${room}: ${mistakes.length - survivors.length} of ${mistakes.length}`);
    rooms.push({ room, made: mistakes.length, survivors });
  }
  const command = `npm run mutations -- --sample ${count} --seed ${values.seed}`;
  console.log(`\n${writePage(rooms, { command, isKept: values.write })}`);
}

async function tried(mistake, tests) {
  for (const [index, from] of STAGES.slice(0, -1).entries())
    if (await isCaught(mistake, tests.slice(from, STAGES[index + 1]))) return true;
  return false;
}

try {
  if (values.sample === undefined) await knownMistakes();
  else await sampleMistakes(Number(values.sample), values.rooms.split(','));
} finally {
  closeTester();
}
