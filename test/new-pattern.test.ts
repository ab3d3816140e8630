// The price of a new pattern: a folder and its line in the catalog, in a copy of the source. The build of that copy
// reads its key, checks it, counts it, draws it, runs it, shows it and serves it to the page.

import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from './support/imports.ts';

const RECORD = `
import { perform } from '../../kernel/effect.ts';
import { isAnswered } from '../../kernel/outcome.ts';
import { sumOf, timesCost } from '../bounds.ts';
import { type Pattern, triggerOf } from '../record.ts';
import { sameRequest } from '../sections.ts';
import { outcomeOf } from '../run-agent.ts';

interface SecondOpinions {
  readonly from: string;
  readonly most: number;
}

export const secondOpinionsPattern: Pattern<SecondOpinions> = {
  key: 'secondOpinions',
  keySpec: {
    form: {
      kind: 'keys',
      keys: {
        from: { form: { kind: 'agent', role: 'doubter', gets: 'request' }, guidance: 'Who is asked.', required: true },
        most: { form: { kind: 'integer', min: 1, max: 9, cap: 'maxTurns' }, guidance: 'How often.', required: true },
      },
    },
    guidance: 'Asks an agent what it thinks of the request, again and again.',
    example: 'secondOpinions: {from: other-agent, most: 2}',
  },
  layer: 'last',
  triggers: { doubt: { pattern: 'secondOpinions', deepens: true, isHop: true, answers: false } },
  excludes: { next: 'Keep one of them.' },
  reserves: ['opinions_left'],
  tools: ({ most }) => [{
    spec: {
      name: 'opinions_left',
      description: 'How many opinions there will be.',
      parameters: { type: 'object', properties: {}, additionalProperties: false },
    },
    *run() {
      return { status: 'ok', text: String(most) };
    },
  }],
  edges: ({ from, most }) => [{ to: from, role: 'doubter', trigger: 'doubt', label: 'opinions ×' + most }],
  describe: () => ({ mark: 'doubted' }),
  check(config, { agent, agents, edges: [edge], report }) {
    if (config === undefined || edge === undefined || agents.get(edge.to)?.output.format !== 'json') return;
    report({ code: 'secondOpinions/json', at: edge, message: agent.name + ' reads opinions as text', help: 'Ask another.' });
  },
  bound: ({ from, most }, inner, { run }) => sumOf([inner, timesCost(most, run(from))]),
  wrap: ({ from, most }) => (inner) =>
    function* (input) {
      const own = yield* inner(input);
      if (!isAnswered(own)) return own;
      let { text } = own;
      for (let round = 0; round < most; round++) {
        const trigger = triggerOf(secondOpinionsPattern, 'doubt');
        const request = sameRequest(input.request);
        const said = outcomeOf(yield* perform<'run'>({ kind: 'run', agent: from, input: request, trigger }));
        if (isAnswered(said)) text += ' But: ' + said.text;
      }
      return { ...own, text };
    },
};
`;

const CLINIC = {
  'cadre.yaml':
    'providers: { demo: { kind: scripted, script: ./s.yaml } }\ndefaults: { models: [demo/x], maxTurns: 3, maxRetries: 1 }\n',
  'doctor.md': '---\ndescription: Says it.\nsecondOpinions: { from: sceptic, most: 2 }\n---\nSay it.\n',
  'sceptic.md': '---\ndescription: Doubts it.\n---\nDoubt it.\n',
  's.yaml':
    'agents: { doctor: [{ call: { opinions_left: {} } }, { answer: "A strain, {{result.opinions_left}} to come." }], ' +
    'sceptic: [{ answer: Maybe not. }] }\n',
};

const copy = mkdtempSync(join(tmpdir(), 'cadre-copy-'));
const folder = join(copy, 'clinic');
const main = join(copy, 'dist/cli/main.js');

beforeAll(() => {
  for (const part of ['src', 'web', 'scripts', 'package.json', 'rolldown.config.mjs', 'tsconfig.json', 'LICENSE']) {
    cpSync(join(root, part), join(copy, part), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  for (const [file, text] of Object.entries(CLINIC)) write(join('clinic', file), text);
  write('src/patterns/second-opinions/pattern.ts', RECORD);
  const catalog = join(copy, 'src/patterns/catalog.ts');
  const text = readFileSync(catalog, 'utf8');
  const name = 'secondOpinionsPattern';
  const added = text
    .replace(/^import /m, `import { ${name} } from './second-opinions/pattern.ts';\nimport `)
    .replace('  spawnPattern,\n', `  spawnPattern,\n  ${name},\n`);
  expect(added.split('\n')).toHaveLength(text.split('\n').length + 2);
  writeFileSync(catalog, added);
  execFileSync('npx', ['--no-install', 'rolldown', '-c', 'rolldown.config.mjs'], { cwd: copy, stdio: 'pipe' });
}, 180_000);

afterAll(() => rmSync(copy, { recursive: true, force: true }));

function write(file: string, text: string): void {
  mkdirSync(dirname(join(copy, file)), { recursive: true });
  writeFileSync(join(copy, file), text);
}

/** Runs the command line; any exit code will do. */
function cadre(...args: readonly string[]): string {
  try {
    return execFileSync(process.execPath, [main, ...args], { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
  } catch (thrown) {
    const { stdout, stderr } = thrown as { readonly stdout: string; readonly stderr: string };
    return stdout + stderr;
  }
}

test('`check` reads its key, and finds by its form and by its own rule what is wrong', () => {
  expect(cadre('check', '.')).toBe('');
  const checked = (files: Readonly<Record<string, string>>): string => {
    for (const [file, text] of Object.entries(files)) write(join('clinic', file), text);
    const said = cadre('check', '.');
    for (const [file, text] of Object.entries(CLINIC)) write(join('clinic', file), text);
    return said;
  };
  const doctor = (key: string) => ({ 'doctor.md': `---\ndescription: Says it.\n${key}\n---\nSay it.\n` });
  expect(checked(doctor('secondOpinions: { form: sceptic, most: 2 }'))).toContain('Did you mean "from"?');
  expect(checked(doctor('secondOpinions: { from: sceptik, most: 2 }'))).toContain('ref/unresolved');
  expect(checked(doctor('secondOpinions: { from: doctor, most: 2 }'))).toContain('recursion detected');
  expect(checked(doctor('secondOpinions: { from: sceptic, most: 2 }\nnext: sceptic'))).toContain('key/conflict');
  const json = '---\ndescription: Doubts it.\noutput: { format: json }\n---\nDoubt it.\n';
  expect(checked({ 'sceptic.md': json })).toContain('doctor.md:3:25 error secondOpinions/json: doctor reads opinions');
  const low = `${CLINIC['cadre.yaml'].replace('maxTurns: 3', 'maxTurns: 1')}limits: { maxTurns: 1 }\n`;
  expect(checked({ 'cadre.yaml': low })).toContain('`secondOpinions.most` is 2, and limits.maxTurns caps it at 1');
});

test('`check --bound` counts it by its formula', () => {
  expect(cadre('check', '.', '--bound')).toMatch(/doctor\W+9\b/); // three turns, and twice three of the sceptic
});

test('`graph` draws it, with its label and its mark', () => {
  expect(cadre('graph', '.')).toBe('doctor (doubted)\n└─ opinions ×2 → sceptic\n');
  expect(cadre('graph', '.', '--format', 'mermaid')).toContain('opinions ×2');
});

test('`tools` lists the tool that it gives', () => {
  expect(cadre('tools', 'doctor')).toMatch(/opinions_left\W+secondOpinions/);
});

test('`run` runs it with its tool, and `show` names it in the tree', () => {
  expect(cadre('run', 'doctor.md', 'My knee hurts.')).toContain('A strain, 2 to come. But: Maybe not. But: Maybe not.');
  expect(cadre('show')).toMatch(/secondOpinions|doubt/);
  expect(cadre('replay')).toContain('identical');
});

test('`help` and `new` explain it', () => {
  expect(cadre('help', 'doctor')).toContain('Asks an agent what it thinks of the request');
  expect(cadre('new', 'nurse', '--full')).toBeDefined();
  expect(readFileSync(join(folder, 'nurse.md'), 'utf8')).toContain('# secondOpinions: {from: other-agent, most: 2}');
  rmSync(join(folder, 'nurse.md'));
});

test('the JSON Schema and the reference have it', () => {
  mkdirSync(join(copy, 'docs/reference'), { recursive: true });
  cpSync(join(root, 'biome.json'), join(copy, 'biome.json'));
  execFileSync(process.execPath, ['scripts/reference.mjs'], { cwd: copy, stdio: 'pipe' });
  const schema = JSON.parse(readFileSync(join(copy, 'schema/frontmatter.json'), 'utf8')) as {
    readonly properties: Readonly<Record<string, unknown>>;
  };
  expect(schema.properties['secondOpinions']).toMatchObject({
    properties: { from: { type: 'string' }, most: { type: 'integer', maximum: 9 } },
    required: ['from', 'most'],
  });
  expect(readFileSync(join(copy, 'docs/reference/frontmatter.md'), 'utf8')).toContain('`secondOpinions`');
}, 60_000);

test('the page is told of it: graph, bound and settings', async () => {
  const server = spawn(process.execPath, [main, 'serve', '--port', '0'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  try {
    const url = await new Promise<URL>((resolve, reject) => {
      let said = '';
      const hear = (bytes: Buffer) => {
        said += String(bytes);
        const [found] = /http:\/\/\S+(?=\s)/.exec(said) ?? [];
        if (found !== undefined) resolve(new URL(found));
      };
      server.stdout.on('data', hear);
      server.stderr.on('data', hear);
      server.on('exit', () => reject(new Error(said)));
    });
    const ask = async (path: string) =>
      (
        await fetch(new URL(path, url), { headers: { authorization: `Bearer ${url.searchParams.get('token')}` } })
      ).json();
    const info = await ask('/api/cadre');
    expect(info).toMatchObject({
      agents: [{ name: 'doctor', patterns: ['secondOpinions'] }, { name: 'sceptic' }],
      graph: { edges: [{ from: 'doctor', to: 'sceptic', kind: 'secondOpinions', label: 'opinions ×2' }] },
      bounds: { doctor: { calls: 9 } },
    });
    expect(JSON.stringify(await ask('/api/agents/doctor'))).toContain('{from: sceptic, most: 2}');
  } finally {
    server.kill();
  }
});
