// Control messages lie in the store, where others may write too: what is not one is laid aside, and the run goes on.

import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { ended, type Folder, folderWith, until } from '../support/cli.ts';

let folder: Folder | undefined;
afterEach(() => folder?.remove());

test('a control message that is not one is told of, laid aside, and the next one still counts', async () => {
  folder = folderWith({
    'cadre.yaml': 'providers: { demo: { kind: scripted, script: ./s.yaml } }\ndefaults: { models: [demo/m] }\n',
    's.yaml': JSON.stringify({ agents: { clerk: [{ delay: '60s', answer: 'done' }] } }),
    'clerk.md': '---\ndescription: d\n---\nYou work.\n',
  });
  const at = folder;
  const running = at.start(['run', 'clerk', 'go']);
  const over = ended(running);
  await until(() => at.journal().some(({ type }) => type === 'op-start'));
  const run = readdirSync(join(at.path, '.cadre/runs'))[0] as string;
  const deep = '['.repeat(3000) + ']'.repeat(3000);
  const bad = [
    '{"kind":',
    'null',
    '17',
    `{"kind":"share-context","id":"m3","context":${deep}}`,
    '{"kind":"send","id":"m4","to":1}',
  ];
  const name = (index: number): string => `.cadre/control/${run},m${index}`;
  mkdirSync(join(at.path, name(9)));
  for (const [index, text] of bad.entries()) at.write(name(index), `00000000000000${index}-000000\n${text}`);
  const queue = (): readonly string[] => readdirSync(join(at.path, '.cadre/control'));
  await until(() => queue().every((one) => one.startsWith(',aside-')));
  expect(queue()).toHaveLength(bad.length + 1);
  await at.cadre(['runs', 'cancel', run]);
  const { exit, stderr } = await over;
  expect(exit).toBe(130);
  const told = stderr.match(/(?:is not understood|cannot be used): .*(?:and|It) is kept as /gi);
  expect(told).toHaveLength(bad.length + 1);
});
