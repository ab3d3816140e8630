// Two containers on one volume, as two users of the built command line see it: each in a pid namespace and under a host
// name of its own, with a model server that counts what is paid for.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { afterEach, expect, test } from 'vitest';
import { type ModelServer, modelServer } from '../crash/support/model-server.ts';
import { ended, type Folder, folderWith, main, type Ran, until } from '../support/cli.ts';

/** A pid namespace and a host name of its own. */
const APART = ['--pid', '--fork', '--kill-child', '--mount-proc', '--uts'];
const canUnshare = spawnSync('unshare', [...APART, 'true']).status === 0;

let folder: Folder;
let server: ModelServer;
const started: ChildProcess[] = [];
afterEach(async () => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
  await server.close();
  folder.remove();
});

const startIn = (host: string, ...args: string[]): Promise<Ran> => {
  const command = ['sh', '-c', 'hostname "$0" && exec "$@"', host, process.execPath, main(), ...args];
  const env = { PATH: process.env['PATH'], HOME: folder.path, NO_COLOR: '1' };
  const child = spawn('unshare', [...APART, ...command], { cwd: folder.path, env, stdio: ['ignore', 'pipe', 'pipe'] });
  started.push(child);
  return ended(child);
};

test.skipIf(!canUnshare)(
  'a live run of another container is refused, and taken over when told to (needs the right to unshare)',
  async () => {
    let letGo = (): void => {};
    server = await modelServer(
      () => ({ text: 'All is well.' }),
      () => (server.requests.length > 1 ? undefined : new Promise<void>((resolve) => (letGo = resolve))),
    );
    folder = folderWith({
      'keeper.md': '---\ndescription: The keeper.\n---\nYou are keeper.\n',
      'cadre.yaml': `providers:\n  near: { kind: openai-compatible, baseUrl: "${server.baseUrl}", apiKey: "none" }\ndefaults:\n  models: [near/m]\n`,
    });
    const first = startIn('one', 'run', 'keeper', 'Look.');
    await until(() => server.requests.length === 1);

    const refused = await startIn('two', 'resume');
    expect(refused.exit).toBe(1);
    expect(refused.stderr).toMatch(
      /^error: Run \S+ is held by process \d+ on one since \S+\. It cannot be known from here whether it is gone: it is on host one, and this is two\. .*: cadre resume \S+ --take-over\n$/,
    );
    expect(server.requests).toHaveLength(1);
    expect((await startIn('two', 'runs')).stdout).toContain('running');

    const second = await startIn('two', 'resume', '--take-over', '--quiet');
    expect(second).toEqual({ stdout: 'All is well.\n', stderr: '', exit: 0 });
    letGo();
    const { stdout, stderr, exit } = await first;
    expect({ stdout, exit }).toEqual({ stdout: '', exit: 1 });
    expect(stderr).toMatch(/error: Run \S+ was taken over by .* What it had under way is not recorded/);
    expect(server.requests).toHaveLength(2);

    const models = folder.journal().filter(({ type, kind }) => type === 'op-end' && kind === 'model');
    expect(models).toHaveLength(1);
    expect((await folder.cadre(['replay'])).stdout).toMatch(/^identical: \d+ events\n$/);
    expect((await folder.cadre(['resume', '--take-over'])).stderr).toContain('has ended already: answered');
  },
);
