// npm run docs:events: writes docs/reference/events.md from the types in src/journal/event.ts and those that they name. With --check it
// writes nothing, and fails if the page is not up to date. Reads the source as text: interfaces with one field a line,
// each after its comment, as the formatter leaves them.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandLine } from './command-line.mjs';
import { declarationOf, lookUp, proseOf } from './reference/declarations.mjs';

const { values } = commandLine(import.meta.url, { options: { check: { type: 'boolean' } } });
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const PAGE = 'docs/reference/events.md';
const SOURCE = 'src/journal/event.ts';
/** Named by the page itself. */
const EFFECTS = new Set(['EffectValues', 'Effect']);

const read = (file) => readFileSync(join(root, file), 'utf8');
const text = read(SOURCE);
const page = eventsPage();

if (values.check) {
  const found = readOrNothing(PAGE);
  if (found !== page) {
    console.error(`Not up to date: ${PAGE}. Run: npm run docs:events`);
    process.exitCode = 1;
  }
} else {
  mkdirSync(join(root, dirname(PAGE)), { recursive: true });
  writeFileSync(join(root, PAGE), page);
}

function readOrNothing(file) {
  try {
    return read(file);
  } catch {
    return undefined;
  }
}

function eventsPage() {
  const union = /export type RunEvent =\s+([^;]+);/.exec(text)[1];
  const names = union.split('|').map((name) => name.trim());
  const events = names.filter((name) => name !== '').map((name) => declarationOf(name, text));
  const examples = shortestExamples();
  const version = /EVENT_VERSION = (\d+)/.exec(text)[1];
  const others = referred(events.map(({ body }) => body));
  return `${[
    '# Events of a run',
    '<!-- Written by `npm run docs:events` from src/journal/event.ts. Change the types, not this page. -->',
    `Event version ${version}. A run is one file, \`.cadre/runs/<run id>/events.jsonl\`: one event a line, appended and never\nchanged. Everything that Cadre shows is computed from it. Journals of earlier versions are lifted to this one as they\nare read (\`src/journal/upcast.ts\`); a newer one is refused with the fault \`journal/version\`.`,
    rules().join('\n'),
    '## On every event',
    fieldTable(declarationOf('Stamp', text).body),
    ...events.flatMap((event) => section(event, examples)),
    '## Types that these name',
    'They are copied from the source.',
    ...others.map(({ name, file, code }) => `### ${name}\n\n\`${file}\`\n\n\`\`\`ts\n${code}\n\`\`\``),
  ].join('\n\n')}\n`;
}

/** The numbered rules at the head of the source. */
function rules() {
  const head = text.slice(0, text.indexOf('\nimport')).split('\n');
  const joined = head.map((line) => line.replace(/^\/\/ ?/, '')).join('\n');
  return joined
    .slice(joined.indexOf('EVENT-1.'))
    .trim()
    .split(/\n(?=EVENT-\d\.)/)
    .map((rule) => rule.replace(/^(EVENT-\d)\. /, '- **$1** ').replaceAll(/\s+/g, ' '));
}

function section({ name, comment, body }, examples) {
  const type = /readonly type: '([\w-]+)'/.exec(body)[1];
  const example = examples.get(type);
  return [
    `## \`${type}\``,
    ...(comment === '' ? [] : [comment]),
    fieldTable(body),
    ...(example === undefined ? [] : [`\`\`\`json\n${example}\n\`\`\``]),
    ...(name === 'OpStart'
      ? ['What `op` holds is [OpDetail](#opdetail); the routine that asked is named by the path.']
      : []),
    ...(name === 'OpEnd' ? ['What `value` is depends on the kind: see [EffectValues](#effectvalues).'] : []),
    ...(name === 'InstantOp'
      ? [
          '`detail` is the [Effect](#effect) of this kind without its kind, `value` what [EffectValues](#effectvalues) says of it; for a `fork`, the branches that counted.',
        ]
      : []),
  ];
}

function fieldTable(body) {
  const inside = body.slice(body.indexOf('{') + 1, body.lastIndexOf('}'));
  const rows = [];
  let comment = '';
  let field = '';
  for (const line of inside.split('\n').map((one) => one.trim())) {
    if (line.startsWith('/**')) comment = proseOf(line);
    else if (line !== '') field += `${field === '' ? '' : ' '}${line}`;
    if (!field.endsWith(';') || open(field) > 0) continue;
    const [, name, optional, type] = /^readonly (\w+)(\??): ([^]*);$/.exec(field);
    rows.push(
      `| \`${name}\`${optional === '?' ? ' (optional)' : ''} | \`${type.replace(/^\| /, '').replaceAll('|', '\\|')}\` | ${comment} |`,
    );
    field = '';
    comment = '';
  }
  return ['| field | type | meaning |', '|---|---|---|', ...rows].join('\n');
}

function open(field) {
  return [...field].reduce((depth, char) => depth + ('{(['.includes(char) ? 1 : '})]'.includes(char) ? -1 : 0), 0);
}

/** Every declared type that is named, directly or through others, in the order of first use. */
function referred(bodies) {
  const known = new Map();
  const queue = bodies.map((body) => ({ file: SOURCE, body }));
  const seen = new Set([...bodies.flatMap((body) => /interface (\w+)/.exec(body)?.[1] ?? []), 'Stamp']);
  queue.push({ file: SOURCE, body: 'EffectValues Effect' });
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const names = next.body.replaceAll(/'[^']*'|\/\*\*?[^]*?\*\//g, '').match(/\b[A-Z]\w+/g) ?? [];
    for (const name of names) {
      if (seen.has(name)) continue;
      const found =
        lookUp(name, next.file) ??
        (next.file === SOURCE && EFFECTS.has(name) ? lookUp(name, 'src/kernel/effect.ts') : undefined);
      if (found === undefined) continue;
      seen.add(name);
      known.set(name, found);
      queue.push({ file: found.file, body: found.body });
    }
  }
  return [...known.values()];
}

/** The shortest event of each type in the golden journals of the newest release. */
function shortestExamples() {
  const folder = 'test/replay';
  const examples = new Map();
  const releases = foldersIn(folder).sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  const newest = releases.at(-1);
  if (newest === undefined) return examples;
  for (const file of readdirSync(join(root, folder, newest))
    .filter((one) => one.endsWith('.jsonl'))
    .sort()) {
    for (const line of read(`${folder}/${newest}/${file}`).split('\n').filter(Boolean)) {
      const { type } = JSON.parse(line);
      const known = examples.get(type);
      if (known === undefined || line.length < known.length) examples.set(type, line);
    }
  }
  return examples;
}

function foldersIn(folder) {
  try {
    return readdirSync(join(root, folder), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && /^\d/.test(entry.name))
      .map(({ name }) => name);
  } catch {
    return [];
  }
}
