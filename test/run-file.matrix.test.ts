// Every kind of run as a file: the journals of each release, and runs that have not ended. Each is drawn by the build,
// holds nothing of the machine, and is replayed with what is in it alone.

import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseHTML } from 'linkedom';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readAll, startOf } from '../src/engine/pinned.ts';
import { exportRun } from '../src/engine/run-file/export-run.ts';
import { runInDocument } from '../src/engine/run-file/run-document.ts';
import { verifyRun } from '../src/engine/run-file/verify-run.ts';
import { fileStore } from '../src/stores/file/file-store.ts';
import { runReport } from '../src/views/report/run-report.ts';
import { built } from './support/dist.ts';

const RELEASES = fileURLToPath(new URL('./replay/', import.meta.url));
const goldens = readdirSync(RELEASES)
  .filter((folder) => /^\d+\.\d+\.\d+/.test(folder))
  .flatMap((release) =>
    readdirSync(join(RELEASES, release))
      .filter((file) => file.endsWith('.jsonl'))
      .map((file) => ({ release, name: file.replace(/\.jsonl$/, '') })),
  );

let root: string;
const storeOf = (release: string) => fileStore(join(root, release), { warn() {} });

beforeAll(() => {
  built('export/thread.js');
  root = mkdtempSync(join(tmpdir(), 'cadre-run-file-'));
  for (const { release, name } of goldens) {
    const run = join(root, release, 'runs', name);
    mkdirSync(run, { recursive: true });
    copyFileSync(join(RELEASES, release, `${name}.jsonl`), join(run, 'events.jsonl'));
    cpSync(join(RELEASES, release, 'blobs'), join(root, release, 'blobs'), { recursive: true });
  }
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const exported = async (release: string, name: string): Promise<string> =>
  (await exportRun(name, { store: storeOf(release), version: '0.3.0', now: () => 1_800_000_000_000 })).html;

/** Runs whose helpers were recorded in another form: they are shown, and a replay says why it cannot be. */
const SHOWN_ONLY: ReadonlySet<string> = new Set(['0.2.0 subagent', '0.2.0 subagent-2']);

test.each(goldens)('$release $name is a file that shows it and replays', async ({ release, name }) => {
  const html = await exported(release, name);
  const events = await readAll(name, storeOf(release));
  const start = startOf(events);
  const { document } = parseHTML(html);
  expect(document.querySelector('h1')?.textContent).toContain(start.agent);
  expect(document.querySelector('.ex-asked')?.textContent).toBe(start.input.text);
  expect(document.querySelectorAll('[aria-label="Every model call"] tbody tr')).toHaveLength(
    runReport(events).ledger.length,
  );
  expect(document.querySelectorAll('.ex-journal tbody tr')).toHaveLength(events.length);
  expect(document.querySelectorAll('.ex-file')).toHaveLength(Object.keys(start.texts).length);
  expect(document.querySelectorAll('button, input, [onclick], link, iframe, object')).toHaveLength(0);
  for (const link of document.querySelectorAll('a[href^="#"]'))
    expect([link.getAttribute('href'), document.getElementById(link.getAttribute('href')!.slice(1)) !== null]).toEqual([
      link.getAttribute('href'),
      true,
    ]);
  expect(html).not.toContain(start.folder);
  const verified = verifyRun(html, { name: 'it', version: '0.3.0' });
  if (SHOWN_ONLY.has(`${release} ${name}`)) return expect(verified).rejects.toThrow('Use Cadre 0.2.0 for that');
  expect(await verified).toMatchObject({
    kind: 'replayed',
    result: { kind: 'identical', events: events.length, ended: events.at(-1)?.type === 'run-end' },
    otherVersion: undefined,
  });
});

test('a file of another version is replayed, and what it shows is not compared', async () => {
  const html = await exported('0.3.0', 'crew');
  const seen = html.replace('an exported run', 'an altered run');
  expect(await verifyRun(seen, { name: 'it', version: '0.3.1' })).toMatchObject({
    result: { kind: 'identical' },
    otherVersion: '0.3.0',
  });
  expect(await verifyRun(seen, { name: 'it', version: '0.3.0' })).toEqual({
    kind: 'changed',
    what: 'what it shows: that is not what its record says',
  });
});

test('the first event that is not as it was written is named', async () => {
  const html = await exported('0.3.0', 'crew');
  const read = runInDocument(html, 'it');
  if ('what' in read) throw new Error(read.what);
  for (const { seq, type, at } of read.run.events) {
    const line = html.split('\n').find((one) => one.startsWith('["event"') && one.includes(`"seq":${seq},`))!;
    const altered = html.replace(line, line.replace(`"at":${at}`, `"at":${at + 1}`));
    expect(altered).not.toBe(html);
    const found = await verifyRun(altered, { name: 'it', version: '0.3.0' });
    expect(found).toMatchObject({ kind: 'changed', what: expect.stringMatching(`^event ${seq}, ${type}`) });
  }
});

test('a text that is not as the run pinned it is named by its file', async () => {
  const html = await exported('0.3.0', 'help-desk');
  const line = html.split('\n').find((one) => one.startsWith('["text"') && one.includes('description:'))!;
  const found = await verifyRun(html.replace(line, line.replace('description:', 'descriptiom:')), {
    name: 'it',
    version: '0.3.0',
  });
  expect(found).toMatchObject({ kind: 'changed', what: expect.stringMatching(/^the text of \S+\.(?:md|yaml)$/) });
});
