// Folders, configuration and stores that somebody else has prepared: nothing hangs, nothing outside is read, and what
// belongs to another user above the folder is not used.

import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { type Folder, folderWith, main } from '../support/cli.ts';

const folders: Folder[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) folder.remove();
});

const AGENT = '---\ndescription: Waits.\n---\nYou wait.\n';
const CONFIG =
  'providers: { demo: { kind: scripted, script: ./demo.script.yaml } }\ndefaults: { models: [demo/any] }\n';
const SCRIPT = 'agents: { waiter: [{ answer: served }] }\n';

function prepared(files: Readonly<Record<string, string>> = {}): Folder {
  const folder = folderWith({ 'waiter.md': AGENT, 'cadre.yaml': CONFIG, 'demo.script.yaml': SCRIPT, ...files });
  folders.push(folder);
  return folder;
}

const pipe = (folder: Folder, name: string): void => {
  rmSync(join(folder.path, name), { force: true });
  expect(spawnSync('mkfifo', [join(folder.path, name)]).status).toBe(0);
};
const device = (folder: Folder, name: string): void => {
  rmSync(join(folder.path, name), { force: true });
  symlinkSync('/dev/zero', join(folder.path, name));
};

test.each(['cadre.yaml', 'waiter.md'])('a pipe or a device named %s is not waited for', async (name) => {
  for (const place of [pipe, device]) {
    const folder = prepared();
    place(folder, name);
    for (const command of [['check'], ['graph'], ['models'], ['help', 'waiter'], ['run', 'waiter', 'hi']]) {
      const { exit } = await folder.cadre(command);
      expect([command[0], exit !== null]).toEqual([command[0], true]);
    }
  }
});

test.each(['.env', 'demo.script.yaml'])('a pipe or a device named %s is an error that names it', async (name) => {
  for (const place of [pipe, device]) {
    const folder = prepared({
      'cadre.yaml': `${CONFIG}mcpServers: { x: { command: nothing, env: { A: "\${A}" } } }\n`,
      'waiter.md': name === '.env' ? AGENT.replace('---\nYou', 'tools: [mcp:x]\n---\nYou') : AGENT,
    });
    place(folder, name);
    const ran = await folder.cadre(['run', 'waiter', 'hi']);
    expect(ran.exit).toBe(1);
    expect(ran.stderr).toMatch(/is not a regular file/);
  }
});

test('a cadre.yaml or an agent file that leads out of the folder is not read', async () => {
  const outside = prepared({ 'secret.md': '---\ndescription: top secret\n---\nThe code is 1234.\n' });
  const inside = prepared();
  symlinkSync(join(outside.path, 'secret.md'), join(inside.path, 'secret.md'));
  const checked = await inside.cadre(['check']);
  expect(checked.exit).toBe(1);
  expect(checked.stdout + checked.stderr).toContain('secret.md is a link that leads out of the folder');
  expect(checked.stdout + checked.stderr).not.toContain('top secret');

  rmSync(join(inside.path, 'secret.md'));
  rmSync(join(inside.path, 'cadre.yaml'));
  symlinkSync(join(outside.path, 'cadre.yaml'), join(inside.path, 'cadre.yaml'));
  const linked = await inside.cadre(['check']);
  expect(linked.stdout + linked.stderr).toContain('cadre.yaml is a link that leads out of the folder');
});

test('a link that stays in the folder is read', async () => {
  const folder = prepared({ 'parts/other.md': '---\ndescription: Another.\n---\nYou are another.\n' });
  symlinkSync(join(folder.path, 'parts/other.md'), join(folder.path, 'linked.md'));
  const checked = await folder.cadre(['check']);
  expect(checked.stdout + checked.stderr).not.toContain('leads out');
});

const root = process.getuid?.() === 0;

test.runIf(root)(
  'another user’s cadre.yaml, .env or store above the folder is not used, unless it is trusted',
  async () => {
    const above = prepared({
      'mine/agent.md': '---\ndescription: Mine.\nmodels: [demo/any]\n---\nMine.\n',
      'mine/demo.script.yaml': 'agents: { agent: [{ answer: mine }] }\n',
      'demo.script.yaml': 'agents: { agent: [{ answer: theirs }] }\n',
    });
    mkdirSync(join(above.path, '.cadre'));
    for (const name of ['cadre.yaml', '.cadre', '.']) chownSync(join(above.path, name), 1234, 1234);
    chmodSync(above.path, 0o777);
    const mine = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
      spawnSync(process.execPath, [main(), ...args], {
        cwd: join(above.path, 'mine'),
        env: { PATH: process.env['PATH'], HOME: above.path, ...env },
        encoding: 'utf8',
      });
    const refused = mine(['run', 'agent', 'hi']);
    expect(refused.stderr).toContain('cadre.yaml belongs to another user and is not used');
    expect(refused.stderr).toContain(`CADRE_TRUST=${above.path}`);
    expect(refused.stdout).not.toContain('theirs');
    const trusted = mine(['run', 'agent', 'hi'], { CADRE_TRUST: above.path });
    expect(trusted).toMatchObject({ status: 0, stdout: 'theirs\n' });
    const runs = mine(['runs']);
    expect(runs.stderr).toContain('.cadre belongs to another user and is not used');
  },
);

test.runIf(root)('a .env of another user beside one’s own cadre.yaml is not used', async () => {
  const folder = prepared({
    '.env': 'KEY=theirs\n',
    'cadre.yaml': `${CONFIG}mcpServers: { x: { command: "true", env: { A: "\${KEY}" } } }\n`,
    'waiter.md': AGENT.replace('---\nYou', 'tools: [mcp:x]\n---\nYou'),
  });
  chownSync(join(folder.path, '.env'), 1234, 1234);
  const ran = await folder.cadre(['run', 'waiter', 'hi']);
  expect(ran.exit).toBe(1);
  expect(ran.stderr).toContain('.env belongs to another user and is not used');
});

const FUNCTIONS = `import { writeFileSync } from 'node:fs';
writeFileSync(new URL('./ran', import.meta.url), '');
export const ask = { name: 'ask', description: 'Asks.', parameters: { type: 'object' }, run: () => 'yes' };
`;

test('a file of functions that is a pipe, a device, a link out of the folder or not the owner’s is not run', async () => {
  const outside = prepared({ 'tools.mjs': FUNCTIONS });
  const link = (folder: Folder, name: string): void => {
    rmSync(join(folder.path, name));
    symlinkSync(join(outside.path, name), join(folder.path, name));
  };
  const foreign = (folder: Folder, name: string): void => chownSync(join(folder.path, name), 12345, 12345);
  for (const place of [pipe, device, link, ...(process.getuid?.() === 0 ? [foreign] : [])]) {
    const folder = prepared({
      'cadre.yaml': `${CONFIG}functions: ./tools.mjs\n`,
      'tools.mjs': FUNCTIONS,
      'waiter.md': AGENT.replace('---\nYou', 'tools: [ask]\n---\nYou'),
    });
    place(folder, 'tools.mjs');
    const ran = await folder.cadre(['run', 'waiter', 'hi']);
    expect(ran.exit).toBe(1);
    expect(ran.stderr).toMatch(/functions\/file: .*tools\.mjs (is not a regular|is a link|belongs to another)/);
    expect([folder.has('ran'), outside.has('ran')]).toEqual([false, false]);
  }
});

test.runIf(process.getuid?.() === 0)('a package that belongs to another user is not run', async () => {
  const folder = prepared({
    'cadre.yaml': 'providers: { demo: { kind: ai-sdk, package: theirs } }\ndefaults: { models: [demo/any] }\n',
    'node_modules/theirs/package.json': '{"version":"1.0.0","exports":"./main.mjs"}',
    'node_modules/theirs/main.mjs': FUNCTIONS,
  });
  chownSync(join(folder.path, 'node_modules/theirs/package.json'), 12345, 12345);
  const ran = await folder.cadre(['run', 'waiter', 'hi']);
  expect(ran.exit).toBe(1);
  expect(ran.stderr).toContain('belongs to another user and is not used');
  expect(folder.has('node_modules/theirs/ran')).toBe(false);
});
