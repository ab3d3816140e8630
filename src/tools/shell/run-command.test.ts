import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { waitingShell } from './run-command.ts';

test('a command is run after a line on its stdin, and not at all if that ends before (RUN-1)', () => {
  const { command, args } = waitingShell('echo "run with $(cat | wc -c) bytes of stdin"');
  expect(spawnSync(command, args, { input: '\n' }).stdout.toString()).toMatch(/^run with +0 bytes of stdin\n$/);
  const never = spawnSync(command, args, { input: '' });
  expect(never.stdout.toString()).toBe('');
  expect(never.status).not.toBe(0);
});

test('what a shell says of a command that it does not know names the shell as usual', () => {
  const { command, args } = waitingShell('no-such-command-here');
  const { status, stderr } = spawnSync(command, args, { input: '\n' });
  expect(status).toBe(127);
  expect(stderr.toString()).toMatch(/^\/bin\/sh: .*no-such-command-here.*not found/);
});
