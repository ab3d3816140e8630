// A session of sixty turns in a window of 8,000 tokens, through the built command: it answers with a fact from turn 3, also
// killed while it is summed up, and forked before that.

import { createInterface } from 'node:readline';
import { afterEach, expect, test } from 'vitest';
import { ended, type Folder, folderWith, until } from '../support/cli.ts';
import { type Asked, type Body, modelServer, type Said } from '../support/model-server.ts';

const TURNS = 60;
const FACT = 'The key is under the red mat.';
const FORKED = 'The key is in the clock.';

/** Too short for a handle of its own, so that only a compaction makes room. */
const page = (at: number): string =>
  `Page ${at}. ${at === 3 ? FACT : ''} ${'The sea is calm and grey. '.repeat(12)}`.slice(0, 380);

const reading = (at: number): string =>
  `    - { say: "${'I note what I read on this page. '.repeat(8)}", call: { read_file: { path: page-${at}.txt } } }`;

/** The answer is what the summary says of the key, and nothing else. */
const script = (delay: string): string => `agents:
  reader:
    - when: { compact: true, last: "/The key is [\\\\w ]+\\\\./" }
      report: { goal: Find the key., decisions: [], facts: ["{{match.0}}"], open: [], files: [] }
      ${delay}
    - when: { compact: true }
      report: { goal: Find the key., decisions: [], facts: [], open: [], files: [] }
    - when: { turn: ${TURNS} }
      answer: The book says where it is.
${Array.from({ length: TURNS - 1 }, (_, index) => reading(index + 1)).join('\n')}
`;

const FILES = {
  'cadre.yaml': `providers:\n  demo: { kind: scripted, script: ./demo.script.yaml }\nmodels:\n  small: { use: demo/small, contextWindow: 8000, price: { input: 1, output: 2 } }\ndefaults:\n  models: [small]\n`,
  'reader.md': `---\ndescription: Reads a book.\ntools: [files]\nmaxTurns: ${TURNS}\nmaxToolCallsPerTurn: 2\nstuck: off\ncompact: { keep: 4 }\n---\nYou read the book.\n`,
  ...Object.fromEntries(Array.from({ length: TURNS }, (_, index) => [`page-${index + 1}.txt`, page(index + 1)])),
};

let folder: Folder | undefined;
afterEach(() => folder?.remove());

interface Shown {
  readonly outcome: { readonly kind: string; readonly text?: string };
  readonly ledger: readonly { readonly path: string; readonly compact?: true; readonly usd?: number }[];
  readonly totals: { readonly calls: number };
  readonly compactions: readonly {
    readonly op: string;
    readonly state: string;
    readonly text: string;
    readonly turn: number;
  }[];
}

async function shown(at: Folder, run = 'last'): Promise<Shown> {
  const { stdout } = await at.cadre(['show', run, '--json']);
  const told = JSON.parse(stdout) as Omit<Shown, 'compactions'> & Partial<Shown>;
  return { ...told, compactions: told.compactions ?? [] };
}

test('sixty turns in a window of 8,000 tokens keep a fact from turn 3, and views say what was replaced', async () => {
  folder = folderWith({ ...FILES, 'demo.script.yaml': script('') });
  const ran = await folder.cadre(['run', 'reader.md', 'Where is the key?']);
  expect([ran.exit, ran.stdout]).toEqual([0, expect.stringContaining('The book says')]);
  const { compactions, ledger, totals } = await shown(folder);
  expect(compactions.length).toBeGreaterThan(1);
  for (const { state, text } of compactions) expect([state, text]).toEqual(['done', expect.stringContaining(FACT)]);
  expect(ledger.filter(({ compact }) => compact)).toHaveLength(compactions.length);
  expect(totals.calls).toBe(TURNS + compactions.length);
  expect((await folder.cadre(['replay', 'last'])).stdout).toContain('identical');
  const tree = (await folder.cadre(['show', 'last', '--tree'])).stdout;
  expect(tree).toMatch(/├ compact \(turns 1 to \d+, demo\/small\) +ok/);
  expect((await folder.cadre(['show', 'last', '--compactions'])).stdout).toMatch(
    /━━ reader op [\d.]+, after turn \d+ .*nothing read it back/s,
  );
  expect((await folder.cadre(['show', 'last', '--ledger'])).stdout).toMatch(/reader +\d+, sum +demo\/small/);
});

test('killed while it is summed up, it is resumed, and pays for no turn twice; a fork before that goes another way', async () => {
  folder = folderWith({ ...FILES, 'demo.script.yaml': script('delay: 10m') });
  const child = folder.start(['run', 'reader.md', 'Where is the key?', '--json']);
  for await (const line of createInterface({ input: child.stdout ?? ([] as never) }))
    if (line.includes('"compact":{')) child.kill('SIGKILL');
  const left = folder.journal();
  expect(left.at(-1)).toMatchObject({ type: 'op-start', op: { kind: 'model', compact: { from: 1 } } });
  folder.write('demo.script.yaml', script(''));
  const resumed = await folder.cadre(['resume', 'last', '--quiet']);
  expect([resumed.exit, resumed.stderr]).toEqual([0, '']);
  const { compactions, totals } = await shown(folder);
  expect(compactions[0]).toMatchObject({ state: 'done', text: expect.stringContaining(FACT) });
  expect(totals.calls).toBe(TURNS + compactions.length + 1); // the one that was cut off counts
  expect((await folder.cadre(['replay', 'last'])).stdout).toContain('identical');

  const [first] = compactions;
  folder.write('demo.script.yaml', script('').replace('"{{match.0}}"', FORKED));
  const forked = await folder.cadre(['fork', 'last', '--at', first?.op ?? '', '--quiet']);
  expect([forked.exit, forked.stderr]).toEqual([0, '']);
  const other = await shown(folder);
  expect(other.compactions[0]).toMatchObject({ op: first?.op, text: expect.stringContaining(FORKED) });
  expect((await folder.cadre(['replay', 'last'])).stdout).toContain('identical');
});

test('a summary that the budget cannot pay is not asked for, and the run ends as it does without the key', async () => {
  const dear = '  dear: { use: demo/dear, contextWindow: 8000, price: { input: 1000000, output: 1000000 } }\ndefaults:';
  const told = `agents:\n  reader:\n    - when: { last: "/has filled the context window/" }\n      answer: That is all.\n`;
  const files = {
    ...FILES,
    'cadre.yaml': FILES['cadre.yaml'].replace('defaults:', dear),
    'demo.script.yaml': script('').replace('agents:\n  reader:\n', told),
  };
  const results: (readonly unknown[])[] = [];
  for (const compact of ['{ keep: 4, model: dear }', 'off']) {
    folder?.remove();
    const reader = FILES['reader.md'].replace('{ keep: 4 }', `${compact}\nbudget: { usd: 10 }`);
    folder = folderWith({ ...files, 'reader.md': reader });
    const ran = await folder.cadre(['run', 'reader.md', 'Where is the key?']);
    const { outcome, compactions, ledger } = await shown(folder);
    expect(compactions.map(({ state }) => state)).toEqual(compact === 'off' ? [] : ['failed']);
    expect(ledger.filter(({ compact: sums, usd = 0 }) => sums && usd > 0)).toEqual([]);
    expect((await folder.cadre(['replay', 'last'])).stdout).toContain('identical');
    results.push([ran.exit, ran.stdout, outcome.kind, outcome.text]);
  }
  expect(results[0]).toEqual([0, 'That is all.\n', 'answered', 'That is all.']);
  expect(results[1]).toEqual(results[0]);
});

/** All that the model was sent, as one text. */
const sent = ({ body }: Asked): string => JSON.stringify(body['messages']);
const isSummary = ({ body }: Asked): boolean => JSON.stringify(body['tools']).includes('"decisions"');

/** A model that knows what it is sent and nothing else: it reads page after page, and then says where the key is. */
function reads(one: Asked): Said {
  const text = sent(one);
  const usage = { input: Math.ceil(JSON.stringify(one.body).length / 4), output: 30 };
  const known = [...new Set(text.match(/The key is [a-z ]+\./g))];
  if (isSummary(one)) {
    const input = { goal: 'Find the key.', decisions: [], facts: known, open: [], files: [] };
    return { call: { id: 'sum', name: 'final_report', input }, usage };
  }
  const page = Math.max(0, ...[...text.matchAll(/Page (\d+)\./g)].map(([, at]) => Number(at)));
  if (page === TURNS - 1) return { text: known.join(' ') || 'I do not know.', usage };
  return { call: { id: `c${page}`, name: 'read_file', input: { path: `page-${page + 1}.txt` } }, usage };
}

test('a model that knows only what it is sent answers with the fact of turn 3 at turn 60, killed while it sums up, and forked', async () => {
  let says: (one: Asked) => Said | Promise<Said> = (one) => (isSummary(one) ? new Promise(() => {}) : reads(one));
  const server = await modelServer((one) => says(one));
  try {
    folder = folderWith({
      ...FILES,
      'cadre.yaml': FILES['cadre.yaml'].replace(
        '{ kind: scripted, script: ./demo.script.yaml }',
        `{ kind: openai-compatible, baseUrl: "${server.base('openai-compatible')}" }`,
      ),
      'reader.md': FILES['reader.md'].replace('stuck: off\n', ''),
    });
    const child = folder.start(['run', 'reader.md', 'Where is the key?', '--json']);
    const killed = ended(child);
    await until(() => server.asked.some(isSummary));
    child.kill('SIGKILL');
    await killed;
    expect(folder.journal().at(-1)).toMatchObject({ type: 'op-start', op: { kind: 'model', compact: { from: 1 } } });
    const before = server.asked.length;

    says = reads;
    const resumed = await folder.cadre(['resume', 'last', '--quiet']);
    expect(resumed).toMatchObject({ exit: 0, stdout: `${FACT}\n`, stderr: '' });
    const { compactions, totals } = await shown(folder);
    const [first] = compactions;
    expect(totals.calls).toBe(TURNS + compactions.length + 1); // the one that was cut off counts
    expect(server.asked.length).toBe(TURNS + compactions.length + 1);
    expect(sent(server.asked.at(-1) as Asked)).not.toContain('Page 3.');
    expect(isSummary(server.asked[before] as Asked)).toBe(true);
    expect((await folder.cadre(['replay', 'last'])).stdout).toContain('identical');

    says = (one) => reads({ ...one, body: JSON.parse(JSON.stringify(one.body).replaceAll(FACT, FORKED)) as Body });
    const forked = await folder.cadre(['fork', 'last', '--at', first?.op ?? '', '--quiet']);
    expect(forked).toMatchObject({ exit: 0, stdout: `${FORKED}\n`, stderr: '' });
    const other = await shown(folder);
    expect(other.compactions[0]).toMatchObject({ op: first?.op, text: expect.stringContaining(FORKED) });
    expect((await folder.cadre(['replay', 'last'])).stdout).toContain('identical');
  } finally {
    await server.close();
  }
});
