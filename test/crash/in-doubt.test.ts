// Tool calls that had begun when the process was killed, with a real MCP server: what only reads is done again, of
// what acts the model is told that nobody knows.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test, vi } from 'vitest';
import type { RunReport } from '../../src/views/report/run-report.ts';
import type { OpNode } from '../../src/views/tree/op-tree.ts';
import { cli, startCli } from './support/cli.ts';
import { tell } from './support/figures.ts';

const server = fileURLToPath(new URL('./fixtures/desk-server.mjs', import.meta.url));
const figures = { repeated: 0, actedAgain: 0, told: 0 };

afterAll(() =>
  tell('Tool calls in doubt', [
    ['calls of a tool marked as read-only, made again', figures.repeated],
    ['calls of a tool that acts, made again', figures.actedAgain],
    ['calls of which the model was told that nobody knows', figures.told],
  ]),
);

const SCRIPT = `
agents:
  clerk:
    - when: { turn: 1 }
      say: I look, and I send.
      calls: [look, send]
    - when: { turn: 2 }
      answer: "look: {{result.look}} | send: {{result.send}}"
`;

function writeCadre(folder: string): string {
  const notes = join(folder, 'notes');
  writeFileSync(notes, '');
  writeFileSync(join(folder, 'clerk.md'), '---\ndescription: The clerk.\ntools: ["mcp:desk"]\n---\nYou are clerk.\n');
  writeFileSync(join(folder, 'clerk.script.yaml'), SCRIPT);
  writeFileSync(
    join(folder, 'cadre.yaml'),
    [
      'providers: { demo: { kind: scripted, script: ./clerk.script.yaml } }',
      'defaults: { models: [demo/m] }',
      `mcpServers: { desk: { command: ${JSON.stringify(process.execPath)}, args: [${JSON.stringify(server)}, ${JSON.stringify(notes)}] } }`,
    ].join('\n'),
  );
  return notes;
}

const nodes = (node: OpNode): readonly OpNode[] => [node, ...node.children.flatMap(nodes)];

test('after kill -9 a read-only call is made again, and of any other the model is told', {
  timeout: 60_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cadre-crash-doubt-'));
  const store = ['--store', join(folder, '.cadre')];
  try {
    const notes = writeCadre(folder);
    const noted = (): readonly string[] => readFileSync(notes, 'utf8').split('\n').filter(Boolean).toSorted();
    const running = startCli(['run', join(folder, 'clerk.md'), 'go', '--quiet', ...store]);
    await vi.waitUntil(() => noted().length === 2, { timeout: 30_000, interval: 10 });
    running.child.kill('SIGKILL');
    await running.done;

    const between = await cli(['show', 'last', ...store]);
    expect(between.stdout).toMatch(/look .*in-doubt/);
    expect(between.stdout).toMatch(/send .*in-doubt/);
    expect(between.stdout).toContain('broken off');

    const resumed = await cli(['resume', 'last', '--quiet', ...store]);
    expect(resumed).toMatchObject({ code: 0 });
    expect(resumed.stdout).toContain('look: look done | send: tool/in-doubt: This call of send had begun');
    expect(noted()).toEqual(['look', 'look', 'send']);

    const after = await cli(['show', 'last', ...store]);
    expect(after.stdout).toMatch(/look .*2 attempts.* ok/);
    expect(after.stdout).toMatch(/send .*in-doubt/);
    expect(after.stdout).toContain('(tool/in-doubt)');
    const report = JSON.parse((await cli(['show', 'last', '--json', ...store])).stdout) as RunReport;
    const send = nodes(report.tree).find(({ name }) => name === 'send');
    expect(send).toMatchObject({ fault: { code: 'tool/in-doubt' }, attempts: 2 });
    expect((await cli(['replay', 'last', '--pinned', ...store])).stdout).toContain('identical');
    const calls = (of: string): number => noted().filter((name) => name === of).length;
    figures.repeated = calls('look') - 1;
    figures.actedAgain = calls('send') - 1;
    figures.told = nodes(report.tree).filter(({ fault }) => fault?.code === 'tool/in-doubt').length;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('a model call in doubt has a line of its own in the ledger', { timeout: 60_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cadre-crash-ledger-'));
  const store = ['--store', join(folder, '.cadre')];
  try {
    writeFileSync(join(folder, 'slow.md'), '---\ndescription: Slow.\n---\nYou are slow.\n');
    writeFileSync(
      join(folder, 'cadre.yaml'),
      'providers: { demo: { kind: scripted, script: ./s.yaml } }\ndefaults: { models: [demo/m] }\n',
    );
    writeFileSync(join(folder, 's.yaml'), 'agents: { slow: [{ delay: 30s, answer: late }] }\n');
    const running = startCli(['run', join(folder, 'slow.md'), 'go', '--json', ...store], {
      onLine: (line) => line.includes('"op-start"') && running.child.kill('SIGKILL'),
    });
    await running.done;
    writeFileSync(join(folder, 's.yaml'), 'agents: { slow: [{ answer: at once }] }\n');
    expect((await cli(['show', 'last', '--ledger', ...store])).stdout).toMatch(/0\.1 .*in-doubt/);
    expect(await cli(['resume', 'last', '--quiet', ...store])).toMatchObject({ code: 0, stdout: 'at once\n' });
    const { stdout } = await cli(['show', 'last', '--ledger', ...store]);
    expect(stdout).toMatch(/0\.1 .*in-doubt[^]*0\.1 .*ok/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
