// A message to a run that nobody works on lies in the store until the run is taken up. No secret lies there with it.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { loadCadre } from '../../src/definition/load.ts';
import { newMessage } from '../../src/engine/handle.ts';
import { openEngine } from '../../src/engine/open.ts';
import { fileStore } from '../../src/stores/file/file-store.ts';
import { type Folder, folderWith } from '../support/cli.ts';

const SECRET = 'zx9-very-secret-token-41';

let folder: Folder;
afterEach(() => folder.remove());

test.each([
  ['send', newMessage({ kind: 'send', text: `use ${SECRET}` })],
  ['stop', newMessage({ kind: 'stop', reason: `because of ${SECRET}` })],
  ['cancel', newMessage({ kind: 'cancel', reason: SECRET, by: SECRET })],
  ['share-context', newMessage({ kind: 'share-context', context: { key: SECRET, [SECRET]: 1 } })],
])('a %s message is redacted before it lies in the store', async (_, message) => {
  folder = folderWith({
    'cadre.yaml': [
      'providers:',
      '  demo: { kind: scripted, script: ./s.yaml }',
      `  real: { kind: openai-compatible, baseUrl: "http://127.0.0.1:9/v1", apiKey: "${SECRET}" }`,
      'defaults: { models: [demo/m] }',
    ].join('\n'),
    's.yaml': 'agents: { clerk: [{ answer: done }] }\n',
    'clerk.md': '---\ndescription: d\n---\nYou work.\n',
  });
  const dir = join(folder.path, '.cadre');
  const store = fileStore(dir);
  const engine = await openEngine(await loadCadre(folder.path), { store, dir, warn() {} });
  const run = await engine.prepare({ agent: 'clerk', input: { text: 'go' } });
  const elsewhere = await openEngine(undefined, { store: fileStore(dir), warn() {} });
  expect(await elsewhere.control(run, message)).toBe('waits');
  const lying = readdirSync(join(dir, 'control')).map((file) => readFileSync(join(dir, 'control', file), 'utf8'));
  expect(lying).toEqual([expect.stringContaining('[redacted:')]);
  expect(lying.join('')).not.toContain(SECRET);
  await engine.close();
  await elsewhere.close();
});
