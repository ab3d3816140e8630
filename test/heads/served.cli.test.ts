// cadre serve as it is built: what clients see of a server that is killed, and curl.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Folder, folderWith, until } from '../support/cli.ts';
import { AGENTS } from '../support/served.ts';

const TOKEN = 'a-token-of-the-tests';

let folder: Folder;
beforeAll(() => {
  folder = folderWith({
    ...AGENTS,
    'steady.md': '---\ndescription: Writes word by word.\n---\nYou write.',
    'demo.script.yaml': [
      AGENTS['demo.script.yaml'],
      '  steady:',
      '    - answer: one two three four five six seven eight nine ten',
      '      chunk: 150ms',
    ].join('\n'),
  });
});
afterAll(() => folder.remove());

async function serve(): Promise<{ readonly url: string; kill(signal: NodeJS.Signals): Promise<void> }> {
  const child = folder.start(['serve', '.', '--port', '0', '--token', TOKEN]);
  let stdout = '';
  child.stdout?.on('data', (text: Buffer) => (stdout += text.toString()));
  child.stderr?.resume();
  await until(() => stdout.includes('\n'));
  return {
    url: stdout.split('/?')[0] ?? '',
    async kill(signal) {
      const gone = new Promise((resolve) => child.once('close', resolve));
      child.kill(signal);
      await gone;
    },
  };
}

test('a client of a server that is killed sees a broken connection, and the run goes on at the next start', async () => {
  const first = await serve();
  const client = new OpenAI({ baseURL: `${first.url}/v1`, apiKey: TOKEN, maxRetries: 0 });
  const body = { model: 'steady', messages: [{ role: 'user', content: 'Write.' }] } as const;
  const headers = { 'Idempotency-Key': 'write-once' };
  const stream = await client.chat.completions.create(
    { ...body, messages: [...body.messages], stream: true },
    { headers },
  );
  let text = '';
  const reading = (async () => {
    for await (const chunk of stream) {
      const piece = chunk.choices[0]?.delta.content ?? '';
      if (text === '' && piece !== '') void first.kill('SIGKILL');
      text += piece;
    }
  })();
  await expect(reading).rejects.toThrow();
  expect(text.length).toBeLessThan('one two three four five six seven eight nine ten'.length);
  const second = await serve();
  const again = new OpenAI({ baseURL: `${second.url}/v1`, apiKey: TOKEN, maxRetries: 0 });
  const made = await again.chat.completions.create(
    { ...body, messages: [...body.messages], stream: true },
    { headers },
  );
  let whole = '';
  for await (const chunk of made) whole += chunk.choices[0]?.delta.content ?? '';
  expect(whole).toBe('one two three four five six seven eight nine ten');
  const runs = JSON.parse((await folder.cadre(['runs', '--json'])).stdout) as { agent: string; outcome: string }[];
  expect(runs).toMatchObject([{ agent: 'steady', outcome: 'answered' }]);
  await second.kill('SIGTERM');
});

const curl = promisify(execFile);
const hasCurl = await curl('curl', ['--version']).then(
  () => true,
  () => false,
);

test.skipIf(!hasCurl)('curl asks, streams, and is refused', async () => {
  const server = await serve();
  const ask = async (token: string, path: string, body: object): Promise<string> => {
    const headers = ['-H', `Authorization: Bearer ${token}`, '-H', 'Content-Type: application/json'];
    return (await curl('curl', ['-sN', `${server.url}${path}`, ...headers, '-d', JSON.stringify(body)])).stdout;
  };
  const messages = [{ role: 'user', content: 'Hello.' }];
  expect(await ask(TOKEN, '/v1/chat/completions', { model: 'echo', messages })).toContain(
    '"content":"You said: Hello."',
  );
  const streamed = await ask(TOKEN, '/v1/chat/completions', { model: 'echo', messages, stream: true });
  expect(streamed.trim().split('\n\n').at(-1)).toBe('data: [DONE]');
  const events = await ask(TOKEN, '/v1/messages', { model: 'echo', max_tokens: 9, messages, stream: true });
  expect(events).toContain('event: message_stop');
  expect(JSON.parse(await ask('nonsense', '/v1/messages', {}))).toMatchObject({
    error: { type: 'authentication_error' },
  });
  expect(JSON.parse(await ask('nonsense', '/v1/responses', {}))).toMatchObject({
    error: { type: 'authentication_error' },
  });
  expect(JSON.parse(await ask('nonsense', '/mcp', {}))).toMatchObject({
    jsonrpc: '2.0',
    error: { data: { code: 'request/unauthorized' } },
  });
  await server.kill('SIGTERM');
});
