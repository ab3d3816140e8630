// `npm run smoke` against a model server of another maker, over each wire protocol.

import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { LLMock } from '@copilotkit/aimock';
import { expect, test } from 'vitest';
import { built } from './support/dist.ts';

interface Smoked {
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function smoke(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Smoked> {
  built('cli/main.js');
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, [resolve('scripts/smoke.mjs'), ...args], {
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const texts = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name].on('data', (part: Buffer) => (texts[name] += part.toString()));
    child.once('error', failed);
    child.once('close', (exit) => done({ exit, ...texts }));
  });
}

test.each([
  { model: 'openai/gpt-5', path: '/v1', env: { OPENAI_API_KEY: 'key' } },
  { model: 'anthropic/claude-haiku-4-5', path: '/v1', env: { ANTHROPIC_API_KEY: 'key' } },
  { model: 'google/gemini-2.5-flash', path: '/v1beta', env: { GEMINI_API_KEY: 'key' } },
  { model: 'somewhere/small', path: '/v1', env: {} },
])('$model answers an example, and the line says its calls, cost and time', async ({ model, path, env }) => {
  const mock = new LLMock({ port: 0 });
  mock.addFixture({ match: { model: model.split('/')[1] ?? '' }, response: { content: 'It was Tobias.' } });
  await mock.start();
  const { exit, stdout, stderr } = await smoke(
    ['--models', model, '--base-url', `${mock.url}${path}`, 'lighthouse'],
    env,
  );
  await mock.stop();
  expect(stdout, stderr).toMatch(/^lighthouse +answered +1 +\d+\.\d s +\$/m);
  expect(stdout).toContain('1 of 1 examples answered');
  expect(exit).toBe(0);
});

test('an example that fails is said with its reason, and the exit code is 1', async () => {
  const mock = new LLMock({ port: 0 });
  mock.addFixture({ match: { model: 'small' }, response: { content: 'Not what was asked for.' } });
  await mock.start();
  const { exit, stdout } = await smoke(['--models', 'somewhere/small', '--base-url', `${mock.url}/v1`, 'digest']);
  await mock.stop();
  expect(stdout).toMatch(/^digest +failed/m);
  expect(stdout).toContain('    sorter did not give reader, for each of `letters`, an input that it takes');
  expect(exit).toBe(1);
});

test('without a model, or with one that cannot be asked, the keys and servers that were looked for are listed', async () => {
  const none = await smoke([]);
  expect(none.exit).toBe(2);
  expect(none.stderr).toContain('No model is named');
  expect(none.stderr).toContain('set OPENAI_API_KEY');
  expect(none.stderr).toMatch(/servers on this machine/i);
  const keyless = await smoke(['--models', 'anthropic/claude-haiku-4-5']);
  expect(keyless.exit).toBe(2);
  expect(keyless.stderr).toContain(
    'anthropic/claude-haiku-4-5: provider "anthropic" has no key: set ANTHROPIC_API_KEY.',
  );
});

test('an example that is not there is refused before a model is asked', async () => {
  const { exit, stderr } = await smoke([
    '--models',
    'somewhere/small',
    '--base-url',
    'http://127.0.0.1:9/v1',
    'lighthose',
  ]);
  expect(stderr).toContain('There is no example lighthose. Known are: barograph,');
  expect(exit).toBe(2);
});
