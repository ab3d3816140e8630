// docs/mutations.md: the score of each room, and each mistake that no test notices with the reason why it may stay so.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../house/files.mjs';

const PAGE = join(root, 'docs/mutations.md');
const REASONS = join(root, 'scripts/mutations/survivors.json');

/** The table. Written into the page if it is to be kept. */
export function writePage(rooms, { command, isKept }) {
  const table = tableOf(rooms);
  if (isKept) writeFileSync(PAGE, `${intro(command)}\n${table}\n\n${listOf(rooms)}`);
  return table;
}

const intro = (command) => `# Mutations

<!-- Written by: ${command} --write -->

A test suite is worth what it notices. \`${command}\` makes mistakes in the
source, one at a time and chosen by the seed, and runs the 24 test files that are nearest to each: a comparison turned round, a condition
that always or never holds, a call left out. A mistake is caught if a test fails that passes without it, or never ends. The aim is 80 % in
each room. Tests that go through the built command do not count, so the true score is higher.

The tool is our own. Stryker, which makes such mistakes too, reads \`tsconfig.json\` by functions that TypeScript 7 no longer has, and runs
tests in threads of one process, where tests that lock files, send signals or change the working folder cannot run.
`;

function tableOf(rooms) {
  const sum = (count) => rooms.reduce((total, one) => total + count(one), 0);
  const rows = rooms.map(({ room, made, survivors }) => ({ room, made, caught: made - survivors.length }));
  rows.push({ room: 'all', made: sum(({ made }) => made), caught: sum((one) => one.made - one.survivors.length) });
  const lines = rows.map(
    ({ room, made, caught }) => `| ${room} | ${made} | ${caught} | ${Math.floor((100 * caught) / made)} % |`,
  );
  return ['| room | made | caught | |', '|---|---:|---:|---:|', ...lines].join('\n');
}

function listOf(rooms) {
  const reasons = JSON.parse(readFileSync(REASONS, 'utf8'));
  const survivors = rooms.flatMap((one) => one.survivors);
  const lines = survivors.map(
    ({ name, file, line, says }) =>
      `- \`${file}:${line}\`: \`${says.replaceAll('`', "'")}\`\n  ${reasons[name] ?? 'It has no test and no reason yet.'}`,
  );
  return `## What survived\n\n${lines.join('\n')}\n`;
}
