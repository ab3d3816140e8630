import { expect, test } from 'vitest';
import { NOTHING_SECRET } from '../../kernel/redacted.ts';
import { environmentFor } from '../environment.ts';
import { runCommand } from './run-command.ts';

const run = (script: string) =>
  runCommand({
    command: { command: '/bin/sh', args: ['-c', script], env: environmentFor({}) },
    timeoutMs: 30_000,
    signal: new AbortController().signal,
    redactor: NOTHING_SECRET,
    progress() {},
    groups: new Set(),
  });

test('a command has nothing on its stdin', async () => {
  const { end, output } = await run('echo "run with $(cat | wc -c) bytes of stdin"');
  expect(end).toEqual({ kind: 'exit', code: 0 });
  expect(output).toMatch(/^run with +0 bytes of stdin\n?$/);
});

test('the message of a shell about a command that it does not know names the shell as usual', async () => {
  const { end, output } = await run('no-such-command-here');
  expect(end).toEqual({ kind: 'exit', code: 127 });
  expect(output).toMatch(/\/bin\/sh: .*no-such-command-here.*not found/);
});
