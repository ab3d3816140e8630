// Prompts with parts, from real folders: what the model reads, what a run keeps of it, and what is refused on the disk.

import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { type Folder, folderWith } from './support/cli.ts';

let folder: Folder | undefined;
afterEach(() => folder?.remove());

const FILES = {
  'cadre.yaml': `providers: { demo: { kind: scripted, script: s.yaml } }
defaults: { models: [demo/any] }
variables: { shop: Lumen }
`,
  's.yaml': 'any: [{ call: { list_files: { path: "." } } }, { answer: Done., repeat: true }]\n',
  'clerk.md': '---\ndescription: Serves.\ntools: [files]\n---\nYou serve at {{shop}}.\n\n{{include ./parts/tone.md}}\n',
  'parts/tone.md': 'Be brief.\n',
};

const systemOf = async (run: string): Promise<string> =>
  (await folder!.cadre(['show', run, '--transcript'])).stdout.split('\n  user\n')[0] ?? '';

test('a run keeps the parts of its prompt: a fork goes on with them after they have changed', async () => {
  folder = folderWith(FILES);
  expect(await folder.cadre(['run', 'clerk', 'Hello', '--label', 'first'])).toMatchObject({
    exit: 0,
    stdout: 'Done.\n',
  });
  expect(await systemOf('first')).toMatch(/You serve at Lumen\.\s+Be brief\./);
  expect(await folder.cadre(['replay', 'first'])).toMatchObject({
    exit: 0,
    stdout: expect.stringMatching(/^identical/),
  });

  folder.write('parts/tone.md', 'Be long.\n');
  expect((await folder.cadre(['replay', 'first'])).exit).toBe(1); // replay uses today's files
  const forked = await folder.cadre(['fork', 'first', '--at', '0.1', '--json']);
  const start = JSON.parse(forked.stdout.split('\n')[0] ?? '{}') as { run: string };
  expect(await systemOf(start.run)).toMatch(/You serve at Lumen\.\s+Be brief\./);
});

test('a mistake is told with its place before anything runs', async () => {
  folder = folderWith({ ...FILES, 'parts/tone.md': 'Be kind to {{shp}}.\n' });
  const refused = await folder.cadre(['run', 'clerk', 'Hello']);
  expect(refused).toMatchObject({ exit: 1, stdout: '' });
  expect(refused.stderr).toContain('parts/tone.md:1:12 error prompt/variable: there is no variable "shp"');
  expect(refused.stderr).toContain('Did you mean "shop"?');
  expect(refused.stderr).toContain('clerk.md:7:1 error prompt/include: parts/tone.md has errors');
});

test('a link out of the folder, a binary file and a folder are no parts', async () => {
  folder = folderWith({ 'outside.txt': 'secret\n' });
  for (const [file, text] of Object.entries(FILES)) folder.write(`cadre/${file}`, text);
  symlinkSync('../outside.txt', join(folder.path, 'cadre/link.md'));
  mkdirSync(join(folder.path, 'cadre/sub'));
  folder.write('cadre/picture.md', new Uint8Array([1, 0, 2]));
  folder.write(
    'cadre/clerk.md',
    '---\ndescription: S.\n---\n{{include link.md}}\n{{include picture.md}}\n{{include sub}}\n',
  );
  const { stdout, exit } = await folder.cadre(['check', 'cadre']);
  expect(exit).toBe(1);
  expect(stdout).toMatch(/clerk\.md:4:1 error prompt\/include: .*link\.md is a link that leads out of the folder/);
  expect(stdout).toMatch(/clerk\.md:5:1 error prompt\/include: picture\.md is not text in UTF-8/);
  expect(stdout).toMatch(/clerk\.md:6:1 error prompt\/include: .*sub is not a regular file/);
});
