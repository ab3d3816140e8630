// Prints how the house stands: its measures beside those of 0.2.0 and the aims, and the lines of each room.
//   npm run house                    the table
//   npm run house -- --list exports  the names behind a row: the word beside it
//   npm run house -- --features      lines that only features newer than 0.2.0 need
//   npm run house -- --json          the table as JSON
//   npm run house -- --shrink        takes exceptions that are not needed any more out of the list of names

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandLine, refuse } from './command-line.mjs';
import { featureLines } from './house/features.mjs';
import { root } from './house/files.mjs';
import { measures, rooms, sourceOf } from './house/measures.mjs';
import { brokenRules, EXCEPTIONS, projectShapes } from './house/names.mjs';

const { values } = commandLine(import.meta.url, {
  options: {
    list: { type: 'string' },
    features: { type: 'boolean' },
    json: { type: 'boolean' },
    shrink: { type: 'boolean' },
  },
});
const shapes = projectShapes();

if (values.json) console.log(JSON.stringify({ measures: measures(shapes), rooms: rooms(shapes) }, null, 2));
else if (values.features) printFeatures();
else if (values.list !== undefined) printList(values.list);
else if (values.shrink) shrink();
else printTable();

function printFeatures() {
  const rows = featureLines(sourceOf(shapes)).map(({ name, files, lines }) => [name, files, lines]);
  print([['feature', 'files', 'lines'], ...rows]);
}

function printTable() {
  const cells = measures(shapes).map(({ name, value, before, aim, key }) => [
    name,
    value,
    before,
    aim ?? '',
    key ?? '',
  ]);
  print([['', 'now', '0.2.0', 'aim', '--list'], ...cells]);
  console.log();
  print([
    ['room', 'files', 'lines', 'p90'],
    ...rooms(shapes).map(({ name, files, lines, p90 }) => [name, files, lines, p90]),
  ]);
}

/** The first column is text, the others are numbers. */
function print(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => String(row[column]).length)));
  const pad = (cell, column) => (column === 0 ? cell.padEnd(widths[0]) : String(cell).padStart(widths[column]));
  for (const row of rows) console.log(row.map(pad).join('  '));
}

function printList(word) {
  const rows = measures(shapes).filter(({ key }) => key !== undefined);
  const row = rows.find(({ key }) => key === word);
  if (row === undefined) refuse(import.meta.url, `--list takes one of ${rows.map(({ key }) => key).join(', ')}.`);
  for (const line of row.list) console.log(line);
}

function shrink() {
  const file = join(root, EXCEPTIONS);
  const broken = brokenRules(shapes);
  const exceptions = JSON.parse(readFileSync(file, 'utf8'));
  for (const [rule, names] of Object.entries(exceptions))
    exceptions[rule] = names.filter((name) => Object.hasOwn(broken[rule], name));
  writeFileSync(file, JSON.stringify(exceptions));
  execFileSync('npx', ['biome', 'format', '--write', file], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
}
