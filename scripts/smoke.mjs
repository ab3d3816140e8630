// npm run smoke: every example against a live model that you name, with outcome, calls, cost and time of each. It costs what the
// model costs. Exits with 1 if an example did not answer, with 2 if no model can be asked.
//   npm run smoke -- --models openai/gpt-5-mini            its key comes from the environment
//   npm run smoke -- --models ollama/qwen3,anthropic/claude-haiku-4-5
//   npm run smoke -- --models local/qwen --base-url http://127.0.0.1:1234/v1
//   npm run smoke -- --models local/qwen-vl --base-url … --sees image,pdf      it is not known what this model sees
//   npm run smoke -- --models … help-desk lighthouse       some of the examples

import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandLine, refuse } from './command-line.mjs';
import { cadre } from './smoke/cadre.mjs';
import { examplesIn, useModel } from './smoke/examples.mjs';
import { lookedFor, problemOf } from './smoke/models.mjs';

const NONE_NAMED = 'No model is named. Like this: npm run smoke -- --models openai/gpt-5-mini';
const EXAMPLES = fileURLToPath(new URL('../examples', import.meta.url));

const { values, positionals } = commandLine(import.meta.url, {
  most: Infinity,
  options: {
    /** provider/model, several with commas. */
    models: { type: 'string', default: '' },
    /** The address of the provider, if it is not its own. A provider that is not well known speaks OpenAI's protocol. */
    'base-url': { type: 'string' },
    /** `image`, `pdf` or both: for a model of which Cadre does not know it. */
    sees: { type: 'string', default: '' },
    /** Seconds that one example may take. */
    timeout: { type: 'string', default: '300' },
  },
});

const known = examplesIn(EXAMPLES).map(({ name }) => name);
const unknown = positionals.filter((name) => !known.includes(name));
if (unknown.length > 0)
  refuse(import.meta.url, `There is no example ${unknown.join(', ')}. Known are: ${known.join(', ')}.`);

const home = mkdtempSync(join(tmpdir(), 'cadre-smoke-'));
try {
  process.exitCode = await smoke();
} finally {
  rmSync(home, { recursive: true, force: true });
}

async function smoke() {
  const models = values.models.split(',').filter(Boolean);
  const problems = [];
  for (const model of models) problems.push(...(await problemOf(model, values['base-url'], join(home, 'look'))));
  if (models.length === 0 || problems.length > 0) {
    console.error(models.length === 0 ? NONE_NAMED : problems.join('\n'));
    console.error(await lookedFor(join(home, 'look')));
    return 2;
  }
  let failed = 0;
  for (const model of models) failed += await smokeOf(model);
  return failed === 0 ? 0 : 1;
}

/** The number of examples that did not answer. */
async function smokeOf(model) {
  const folder = join(home, model.replaceAll(/[^\w.-]/g, '-'));
  cpSync(EXAMPLES, join(folder, 'examples'), { recursive: true });
  const examples = examplesIn(join(folder, 'examples')).filter(
    ({ name }) => positionals.length === 0 || positionals.includes(name),
  );
  console.log(`\n${model}`);
  console.log(lineOf(['example', 'outcome', 'calls', 'cost', 'time']));
  let failed = 0;
  for (const example of examples) {
    useModel(example.folder, model, { baseUrl: values['base-url'], sees: values.sees.split(',').filter(Boolean) });
    const row = await played(example, folder);
    if (row.outcome !== 'answered') failed++;
    console.log(lineOf([example.name, row.outcome, row.calls, row.cost, row.time]));
    if (row.why !== undefined) console.log(row.why.replaceAll(/^/gm, '    '));
  }
  console.log(`${examples.length - failed} of ${examples.length} examples answered`);
  return failed;
}

/** The first run that the README of the example shows. A yes is said to every call: the folder is a copy. */
async function played({ name, folder, args }, root) {
  const store = ['--store', join(root, 'stores', name)];
  const started = performance.now();
  const ran = await cadre(['run', ...args, ...store, '--quiet', '--approve'], folder, Number(values.timeout) * 1000);
  const time = `${((performance.now() - started) / 1000).toFixed(1)} s`;
  const shown = await cadre(['show', 'last', '--json', ...store], folder);
  if (shown.exit !== 0) return { outcome: 'not started', calls: 0, cost: '$0', time, why: ran.stderr.trim() };
  const { outcome, totals } = JSON.parse(shown.stdout);
  const why = outcome === undefined ? ran.stderr.trim() : outcome.fault?.message;
  return { outcome: outcome?.kind ?? 'not ended', calls: totals.calls, cost: costOf(totals), time, why };
}

function costOf({ usd = 0, unpriced }) {
  return `$${usd.toFixed(4)}${unpriced > 0 ? `, calls without a price: ${unpriced}` : ''}`;
}

function lineOf([example, outcome, calls, cost, time]) {
  return `${example.padEnd(14)}${String(outcome).padEnd(14)}${String(calls).padStart(6)}  ${String(time).padStart(8)}  ${cost}`;
}
