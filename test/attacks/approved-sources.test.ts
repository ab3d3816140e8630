// A call that is approved is the call that is run: MCP servers that list a tool twice, take another's name, or change
// their lists between a person's yes and the call.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { loadCadre } from '../../src/definition/load.ts';
import { replay } from '../../src/engine/history/replay.ts';
import { readAll } from '../../src/engine/pinned.ts';
import type { Approver } from '../../src/run/approver.ts';
import { openResources } from '../../src/run/resources/open-resources.ts';
import type { CadreResources } from '../../src/run/resources.ts';
import { services } from '../../src/run/services.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import { folderWith } from '../support/cli.ts';
import { engineOf } from '../support/handled.ts';

const SERVER = fileURLToPath(new URL('./fixtures/hostile-server.mjs', import.meta.url));
const removals: (() => void)[] = [];
afterEach(() => {
  for (const remove of removals.splice(0)) remove();
});

const server = (name: string, manner: string, file: string): string =>
  `  ${name}: { command: ${JSON.stringify(process.execPath)}, args: [${SERVER}, ${manner}, ${file}] }\n`;

const agent = (frontmatter: string): string => `---\ndescription: d\n${frontmatter}\n---\nYou work.\n`;
const config = (servers: string): string =>
  `providers: { demo: { kind: scripted, script: ./s.yaml } }\ndefaults: { models: [demo/m] }\nmcpServers:\n${servers}`;

function cadreWith(files: Readonly<Record<string, string>>, servers: string, script: object) {
  const folder = folderWith({ 'cadre.yaml': config(servers), 's.yaml': JSON.stringify(script), ...files });
  removals.push(folder.remove);
  return folder;
}

const callsIn = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '');

test('a tool that its server lists twice is not called without the yes that it waits for', async () => {
  const folder = cadreWith(
    { 'clerk.md': agent('tools: [mcp:one]\napprove: ["mcp:one/echo"]') },
    server('one', 'twice', 'log'),
    { agents: { clerk: [{ call: { echo_092c79e8: {} } }, { answer: '{{last}}' }] } },
  );
  const { exit, stderr } = await folder.cadre(['run', 'clerk', 'go']);
  expect(callsIn(join(folder.path, 'log.calls'))).toBe('');
  expect([exit, stderr]).toEqual([1, expect.stringContaining('it lists the tool "echo" twice')]);
  expect(folder.journal().at(-1)?.['outcome']).toMatchObject({ fault: { code: 'tool/source', stage: 'clerk' } });
});

test('no tool of a server takes the name of another one that waits for a yes', async () => {
  for (const entry of ['mcp:one/wipe_all', 'mcp:one/wipe.all']) {
    const folder = cadreWith(
      { 'clerk.md': agent(`tools: [mcp:one]\napprove: ["${entry}"]`) },
      server('one', 'shadow', 'log'),
      { agents: { clerk: [{ call: { wipe_all: {} } }, { answer: '{{last}}' }] } },
    );
    const { stdout } = await folder.cadre(['run', 'clerk', 'go']);
    expect(stdout).toContain('was not approved');
    expect(callsIn(join(folder.path, 'log.calls'))).toBe('');
    const facts = folder.journal().find(({ type }) => type === 'fact')?.['value'];
    expect(facts).toMatchObject({ sources: { wipe_all: 'mcp:one/wipe_all' } });
    expect((facts as { approve: string[] }).approve).toHaveLength(2);
  }
});

test('a yes beforehand to the tool of one server is none to the tool of another', async () => {
  const folder = cadreWith(
    {
      'lead.md': agent('agents: [first, second]'),
      'first.md': agent('tools: [mcp:one]\napprove: [mcp:one]'),
      'second.md': agent('tools: [mcp:two]\napprove: [mcp:two]'),
    },
    server('one', 'honest', 'log') + server('two', 'other', 'log'),
    {
      agents: {
        lead: [
          { call: { agent__first: { input: 'go', reason: 'r' } } },
          { call: { agent__second: { input: 'go', reason: 'r' } } },
          { answer: '{{last}}' },
        ],
        first: [{ call: { echo: {} } }, { answer: '{{last}}' }],
        second: [{ call: { echo: {} } }, { answer: '{{last}}' }],
      },
    },
  );
  const { stdout, stderr } = await folder.cadre(['run', 'lead', 'go', '--approve', 'mcp:one/echo']);
  expect(callsIn(join(folder.path, 'log.calls'))).toBe('honest echo\n');
  expect(stdout).toContain('The call of echo was not approved');
  expect(stderr).toContain('second wants to call echo (mcp:two/echo), and nobody is there to approve it');
  expect(stderr).toContain('--approve mcp:two/echo');
  expect((await folder.cadre(['replay'])).stdout).toMatch(/^identical: /);
});

test('a yes beforehand holds where two servers offer tools of one name', async () => {
  const folder = cadreWith(
    { 'clerk.md': agent('tools: [mcp:one, mcp:two]\napprove: [mcp:one, mcp:two]') },
    server('one', 'honest', 'log') + server('two', 'other', 'log'),
    { agents: { clerk: [{ call: { one__echo: {} } }, { call: { two__echo: {} } }, { answer: '{{last}}' }] } },
  );
  await folder.cadre(['run', 'clerk', 'go', '--approve', 'mcp:one/echo']);
  expect(callsIn(join(folder.path, 'log.calls'))).toBe('honest echo\n');
});

test('a yes to a source that no agent waits for is refused', async () => {
  const folder = cadreWith(
    { 'clerk.md': agent('tools: [mcp:two]\napprove: ["mcp:two/echo"]') },
    server('two', 'other', 'log'),
    { agents: {} },
  );
  const { exit, stderr } = await folder.cadre(['run', 'clerk', 'go', '--approve', 'mcp:one/echo']);
  expect([exit, stderr]).toEqual([2, expect.stringContaining('--approve took "mcp:one/echo"')]);
});

test('the call that a person allowed goes to the tool that was shown, also when another has its name by then', async () => {
  const path = mkdtempSync(join(tmpdir(), 'cadre-yes-'));
  removals.push(() => rmSync(path, { recursive: true, force: true }));
  const write = (file: string, text: string): void => writeFileSync(join(path, file), text);
  write('clerk.md', agent('tools: [mcp:one, mcp:two]\napprove: ["mcp:one/echo"]'));
  write('cadre.yaml', config(server('one', 'leaving', 'moved') + server('two', 'coming', 'moved')));
  write('s.yaml', JSON.stringify({ agents: { clerk: [{ call: { echo: {} } }, { answer: '{{last}}' }] } }));
  const cadre = await loadCadre(path);
  const clerk = cadre.agents.get('clerk');
  if (clerk === undefined) throw new Error('the folder has a clerk');
  let resources: CadreResources | undefined;
  const asked: unknown[] = [];
  const yesWhenMoved: Approver = async (prompt, about, signal) => {
    asked.push(prompt, about);
    write('moved', '');
    // `sources` of the specs that are offered now: both servers have told that their lists are others.
    for (let isMoved = false; !isMoved; ) {
      const now = await resources?.latestTools?.(clerk, signal);
      isMoved = now?.tools.has('echo') === true && !now.tools.has('other');
      await new Promise((resolve) => setImmediate(resolve));
    }
    return { approved: true };
  };
  const store = memoryStore();
  const engine = engineOf(cadre, {
    store,
    approve: yesWhenMoved,
    openResources: (one) => (resources = openResources(one)),
  });
  try {
    const handle = await engine.start({ agent: 'clerk', input: { text: 'go' } });
    expect(await handle.outcome()).toMatchObject({
      kind: 'answered',
      text: 'tool/unknown: clerk has no tool echo (mcp:one/echo) any more.',
    });
    expect(asked).toEqual([
      'clerk wants to call echo (mcp:one/echo)',
      expect.objectContaining({ name: 'echo', source: 'mcp:one/echo' }),
    ]);
    expect(callsIn(join(path, 'moved.calls'))).toBe('');
    expect(await replay(await readAll(handle.run, store), cadre, services)).toMatchObject({ kind: 'identical' });
  } finally {
    await engine.close();
  }
});
