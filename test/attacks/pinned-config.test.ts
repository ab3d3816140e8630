// A store is data. A run that is taken up again starts no program, reads no variable and calls no address that only the
// store names.

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { type Folder, folderWith } from '../support/cli.ts';

let folder: Folder | undefined;
afterEach(() => folder?.remove());

const CONFIG =
  'providers: { demo: { kind: scripted, script: ./demo.script.yaml } }\ndefaults: { models: [demo/any] }\n';

/** A run that was broken off, whose pinned cadre.yaml somebody has replaced. */
async function withPinned(config: (marker: string) => string): Promise<{ folder: Folder; marker: string }> {
  folder = folderWith({
    'cadre.yaml': CONFIG,
    'waiter.md': '---\ndescription: Waits.\ntools: [files]\n---\nYou wait.\n',
    'demo.script.yaml': 'agents: { waiter: [{ call: list_files }, { answer: served }] }\n',
  });
  expect((await folder.cadre(['run', 'waiter', 'hi'])).exit).toBe(0);
  const store = join(folder.path, '.cadre');
  const run = readdirSync(join(store, 'runs'))[0] as string;
  const events = join(store, 'runs', run, 'events.jsonl');
  const marker = join(folder.path, 'started');
  const lines = readFileSync(events, 'utf8').split('\n').slice(0, 1);
  const start = JSON.parse(lines[0] as string) as { texts: Record<string, string> };
  const pin = (file: string, text: string): void => {
    const digest = createHash('sha256').update(text).digest('hex');
    writeFileSync(join(store, 'blobs', digest), text);
    start.texts[file] = digest;
  };
  pin('cadre.yaml', config(marker));
  pin('waiter.md', '---\ndescription: Waits.\ntools: [mcp:evil]\n---\nYou wait.\n');
  writeFileSync(events, `${JSON.stringify(start)}\n`);
  return { folder, marker };
}

const evil = (marker: string): string => `${CONFIG}mcpServers: { evil: { command: touch, args: ["${marker}"] } }\n`;

test('a program that only the pinned cadre.yaml names is listed and not started', async () => {
  const { folder: at, marker } = await withPinned(evil);
  for (const command of [
    ['resume', 'last'],
    ['fork', 'last', '--at', '0.0'],
  ]) {
    const ran = await at.cadre(command);
    expect(ran.exit).toBe(1);
    expect(ran.stderr).toContain(`mcpServers.evil: starts touch ${marker}`);
    expect(ran.stderr).toContain('--pinned-config');
    expect(existsSync(marker)).toBe(false);
  }
});

test('the user may say that it is to be used', async () => {
  const { folder: at, marker } = await withPinned(evil);
  await at.cadre(['resume', 'last', '--pinned-config']);
  expect(existsSync(marker)).toBe(true);
});

test('an address or a variable that was changed in the store is listed too', async () => {
  const { folder: at } = await withPinned(
    () =>
      'providers: { demo: { kind: openai-compatible, baseUrl: "http://127.0.0.1:9/${HOME}" } }\ndefaults: { models: [demo/any] }\nmcpServers: { evil: { command: "true" } }\n',
  );
  const ran = await at.cadre(['resume', 'last']);
  expect(ran.exit).toBe(1);
  expect(ran.stderr).toContain('providers.demo: openai-compatible http://127.0.0.1:9/${HOME}');
});

test('an entry that today’s cadre.yaml has, wherever it stands in it, needs no word', async () => {
  const { folder: at, marker } = await withPinned(evil);
  at.write('cadre.yaml', `# moved\nmcpServers: { evil: { command: touch, args: ["${marker}"] } }\n${CONFIG}`);
  await at.cadre(['resume', 'last']);
  expect(existsSync(marker)).toBe(true);
});

test('a file of functions and a package that only the pinned cadre.yaml names are listed and not run', async () => {
  const { folder: at, marker } = await withPinned(
    () =>
      'providers: { demo: { kind: ai-sdk, package: "evil-package", options: { baseURL: "http://127.0.0.1:9/${HOME}" } } }\n' +
      'defaults: { models: [demo/any] }\nfunctions: ./evil.mjs\nmcpServers: { evil: { command: "true" } }\n',
  );
  const touch = `import { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(marker)}, '');\n`;
  at.write('evil.mjs', touch);
  at.write('node_modules/evil-package/package.json', '{"version":"1.0.0","exports":"./main.mjs"}');
  at.write('node_modules/evil-package/main.mjs', touch);
  for (const command of [
    ['resume', 'last'],
    ['fork', 'last', '--at', '0.0'],
  ]) {
    const ran = await at.cadre(command);
    expect(ran.exit).toBe(1);
    expect(ran.stderr).toContain('functions: runs evil.mjs');
    expect(ran.stderr.replaceAll(/\s+/g, ' ')).toContain(
      'providers.demo: runs the package evil-package with {"baseURL":',
    );
    expect(existsSync(marker)).toBe(false);
  }
});
