// A program that forgets close() ends by itself once its runs are over, and leaves nothing running.

import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, test } from 'vitest';
import { untilGone } from '../support/alive.ts';
import { type Folder, folderWith } from '../support/cli.ts';
import { everythingOverHttp, mcpProgram } from '../support/everything.ts';
import { ROOT } from '../support/fences.ts';

const EVERYTHING = mcpProgram('everything');

let folder: Folder | undefined;
afterEach(() => folder?.remove());

/** Starts the server, writes its process id down, and waits for it: whoever is left behind can be found. */
const WRAPPER = `import { writeFileSync } from 'node:fs';
writeFileSync(new URL('./server.pid', import.meta.url), String(process.pid));
process.argv[2] = 'stdio';
await import(${JSON.stringify(EVERYTHING)});
`;

function folderFor(server: string, program: string): Folder {
  folder = folderWith({
    'cadre.yaml': `providers: { demo: { kind: scripted, script: ./s.yaml } }
defaults: { models: [demo/x] }
mcpServers: { every: ${server} }
`,
    'a.md': '---\ndescription: A\ntools: [mcp:every/echo]\napprove: [mcp:every/echo]\n---\nx\n',
    's.yaml': 'agents: { a: [{ call: { echo: { message: hi } } }, { answer: "It was {{last}}." }] }\n',
    'wrapper.mjs': WRAPPER,
    'go.mjs': program,
  });
  mkdirSync(join(folder.path, 'node_modules'));
  symlinkSync(ROOT, join(folder.path, 'node_modules/cadre'));
  return folder;
}

const PROGRAM = `import { loadCadre } from 'cadre';
const approve = async () => ({ approved: true });
const cadre = await loadCadre('.', { approve });
const run = await cadre.run('a', 'x');
const outcome = await run.outcome();
console.log(outcome.text ?? JSON.stringify(outcome));
`;

async function ranIn({ path }: Folder): Promise<string> {
  const env = { PATH: process.env['PATH'], HOME: path };
  const { stdout } = await promisify(execFile)(process.execPath, ['go.mjs'], { cwd: path, env, timeout: 50_000 });
  return stdout;
}

test('it ends with a tool server in a process of its own, which ends too', async () => {
  const here = folderFor(`{ command: "${process.execPath}", args: [./wrapper.mjs] }`, PROGRAM);
  expect(await ranIn(here)).toBe('It was Echo: hi.\n');
  await untilGone([Number(here.read('server.pid'))]);
});

test('it ends with a tool server over HTTP that keeps a stream open', async () => {
  const { child, url } = await everythingOverHttp();
  try {
    const here = folderFor(`{ url: "${url}" }`, PROGRAM);
    expect(await ranIn(here)).toBe('It was Echo: hi.\n');
  } finally {
    child.kill();
  }
});

test('a run that waits for somebody keeps the process until it ends, whatever it waits for', async () => {
  const program = `import { loadCadre } from 'cadre';
// Nothing of this keeps a process alive: only the run does.
const approve = () => new Promise((resolve) => {
  setTimeout(() => resolve({ approved: true }), 300).unref();
});
const cadre = await loadCadre('.', { approve });
const run = await cadre.run('a', 'x');
run.outcome().then(({ text }) => console.log(text));
`;
  const here = folderFor(`{ command: "${process.execPath}", args: [./wrapper.mjs] }`, program);
  expect(await ranIn(here)).toBe('It was Echo: hi.\n');
  await untilGone([Number(here.read('server.pid'))]);
});
