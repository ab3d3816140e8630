// docs/mutations.md: the score of each room, and each mistake that no test notices with the reason why it may stay so.

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../house/files.mjs';

const PAGE = join(root, 'docs/mutations.md');

/** The reasons why mistakes are not noticed, by their names: those that change nothing, and others. */
const { equal: EQUAL, left: LEFT } = JSON.parse(readFileSync(join(root, 'scripts/mutations/survivors.json'), 'utf8'));

export const hasReason = ({ name }) => EQUAL[name] !== undefined || LEFT[name] !== undefined;

/** The table. Written into the page if it is to be kept. */
export function writePage(rooms, { command, isKept }) {
  const table = tableOf(rooms);
  if (isKept)
    writeFileSync(PAGE, `${intro(command, commitOf(rooms))}\n${brokenOff(rooms)}${table}\n\n${listOf(rooms)}`);
  return table;
}

const intro = (command, commit) => `# Mutations

<!-- Written by: ${command} --write -->

A test suite is worth what it notices. \`${command}\` makes mistakes in seven rooms of the source, as
they are since commit \`${commit}\`, one at a time and chosen by the seed, and shows each to the tests that come by its place: a comparison turned round, a
condition that always or never holds, a value turned round, a call left out. Mistakes that the compiler refuses are not made, and none in
the wording of a message. The aim is 80 % in each room.

A mistake is caught if a test fails with it and passes without it, looked at in turn. A run that uses the processor for ten times as long
as without the mistake never ends, which counts as caught; one that is only late counts if it is late again, after the source as it is was
not. The tests that look at one mistake take about 15 seconds, and those beside the source three times as long; the nearest and the quickest
come first. Tests in a browser, or through the built command, do not see the mistakes. So the true score is higher. A room with fewer
possible mistakes than the sample has all of them made.

The tool is our own. Stryker, which makes such mistakes too, reads \`tsconfig.json\` by functions that TypeScript 7 no longer has, and runs
tests in threads of one process, where tests that lock files, send signals or change the working folder cannot run.
`;

function brokenOff(rooms) {
  const open = rooms.flatMap(({ mistakes }) => mistakes.filter(({ isOpen }) => isOpen)).length;
  if (open === 0) return '';
  return `The command was broken off: ${open} mistakes have not been shown to all of their tests, and count as not noticed.\n\n`;
}

/** The commit that changed the source of the rooms last: it reads as it does there. */
function commitOf(rooms) {
  const paths = [...rooms.map(({ room }) => room), ':(exclude)*.test.ts', ':(exclude)*.conformance.ts'];
  const args = ['log', '-1', '--format=%h', '--abbrev=8', '--', ...paths];
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
}

function tableOf(rooms) {
  const rows = rooms.map(({ room, mistakes }) => rowOf(room, mistakes));
  rows.push(
    rowOf(
      'all',
      rooms.flatMap(({ mistakes }) => mistakes),
    ),
  );
  return ['| room | made | change nothing | others | caught | |', '|---|---:|---:|---:|---:|---:|', ...rows].join('\n');
}

function rowOf(room, mistakes) {
  const caught = mistakes.filter((one) => one.caught).length;
  const equal = mistakes.filter((one) => !one.caught && EQUAL[one.name] !== undefined).length;
  const others = mistakes.length - equal;
  return `| ${room} | ${mistakes.length} | ${equal} | ${others} | ${caught} | ${Math.floor((100 * caught) / others)} % |`;
}

function listOf(rooms) {
  const survivors = rooms.flatMap(({ mistakes }) => mistakes.filter(({ caught }) => !caught));
  const equal = survivors.filter(({ name }) => EQUAL[name] !== undefined);
  const others = survivors.filter(({ name }) => EQUAL[name] === undefined);
  return `## Not noticed

${linesOf(others, ({ name, isOpen }) => LEFT[name] ?? (isOpen ? SOME : NONE))}

## Changing nothing

${linesOf(equal, ({ name }) => EQUAL[name])}
`;
}

const SOME = 'Not all of its tests have seen it.';
const NONE = 'It has no test and no reason yet.';

const linesOf = (mistakes, why) =>
  mistakes
    .map((one) => `- \`${one.file}:${one.line}\`: \`${one.says.replaceAll('`', "'")}\`\n  ${why(one)}`)
    .join('\n');
