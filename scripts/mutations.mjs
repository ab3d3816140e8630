// Makes mistakes in the source, one at a time, and looks whether a test fails on each. No file is changed: the tests run on
// source in which one place reads otherwise. Tests that go through the built command run on the build, and are left out.
//   npm run mutations                              the nine mistakes that no test of 0.2.0 caught
//   npm run mutations -- --sample 12 --seed 1      12 at random in each of the rooms below; takes about an hour
//   npm run mutations -- --sample 12 --rooms src/kernel,src/world

import { parseArgs } from 'node:util';
import { filesBelow, isCode, isTest, textOf } from './house/files.mjs';
import { projectShapes } from './house/names.mjs';
import { KNOWN } from './mutations/known.mjs';
import { nearestTests } from './mutations/nearest-tests.mjs';
import { mutationsOf } from './mutations/operators.mjs';
import { isCaught } from './mutations/run.mjs';

/** The rooms in which a mistake is dear: what is paid, recorded, locked or let in. */
const ROOMS = 'src/kernel,src/patterns,src/world,src/models/failover.ts,src/stores,src/server/runs,src/server/auth';

/** These are tried first, because most mistakes are caught near by. */
const FIRST = 6;

const { values } = parseArgs({
  options: {
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    rooms: { type: 'string', default: ROOMS },
    /** A mistake is looked for by so many test files: those from which the fewest imports lead to it. */
    tests: { type: 'string', default: '60' },
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

async function sampleMistakes(count, rooms) {
  const nearest = nearestTests(projectShapes(), Number(values.tests));
  const chosen = rooms.map((room) => ({ room, mistakes: pick(mistakesIn(room), count) }));
  const scores = [];
  for (const { room, mistakes } of chosen) {
    let caught = 0;
    for (const mistake of mistakes) {
      const tests = nearest(mistake.file);
      const [first, others] = [tests.slice(0, FIRST), tests.slice(FIRST)];
      if ((await isCaught(mistake, first)) || (await isCaught(mistake, others))) caught++;
      else console.log(`survived  ${mistake.file}:${mistake.line}  ${mistake.says}`);
    }
    console.log(`${room}: ${caught} of ${mistakes.length}`);
    scores.push({ room, caught, made: mistakes.length });
  }
  printScores(scores);
}

const mistakesIn = (room) =>
  (room.endsWith('.ts') ? [room] : filesBelow(room).filter((path) => isCode(path) && !isTest(path))).flatMap((file) =>
    mutationsOf(textOf(file)).map((mutation) => ({ file, ...mutation })),
  );

function printScores(scores) {
  const sum = (key) => scores.reduce((total, one) => total + one[key], 0);
  const rows = [...scores, { room: 'all', caught: sum('caught'), made: sum('made') }];
  console.log('\n| room | made | caught | |\n|---|---:|---:|---:|');
  for (const { room, caught, made } of rows)
    console.log(`| ${room} | ${made} | ${caught} | ${Math.round((100 * caught) / made)} % |`);
}

/** So many of them in an order made of the seed: mulberry32. */
function pick(all, count) {
  let state = Number(values.seed);
  const upTo = (most) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % most;
  };
  const left = [...all];
  return Array.from({ length: Math.min(count, all.length) }, () => left.splice(upTo(left.length), 1)[0]);
}

if (values.sample === undefined) await knownMistakes();
else await sampleMistakes(Number(values.sample), values.rooms.split(','));
