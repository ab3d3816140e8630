// cadre export and cadre verify as a person uses them: where the file goes, what is refused, runs that have not ended, that
// changed files, waited for others or came with pictures, and every kind of store.

import { randomBytes } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { loadCadre } from '../src/definition/load.ts';
import { newMessage } from '../src/engine/handle.ts';
import { openEngine } from '../src/engine/open.ts';
import { readAll } from '../src/engine/pinned.ts';
import { exportRun } from '../src/engine/run-file/export-run.ts';
import { verifyRun } from '../src/engine/run-file/verify-run.ts';
import type { RunStore } from '../src/journal/store.ts';
import { fromElsewhere } from '../src/run/approver.ts';
import { fileStore } from '../src/stores/file/file-store.ts';
import { memoryStore } from '../src/stores/memory.ts';
import { postgresStore } from '../src/stores/postgres/postgres-store.ts';
import { restateStore } from '../src/stores/restate/restate-store.ts';
import { tool } from '../src/tools/functions.ts';
import { longJournal } from './browser/support/journals.mjs';
import { type Folder, folderWith } from './support/cli.ts';
import { built } from './support/dist.ts';
import { png } from './support/media.ts';
import { freshStore } from './support/postgres.ts';
import { emptied, noRestate, restateWorker, sharedRestate } from './support/restate.ts';
import { clientOf, SCRIPTED, type ServedFolder, servedFolder } from './support/server.ts';

const FILES = {
  'cadre.yaml':
    'providers: { demo: { kind: scripted, script: ./s.yaml } }\nmodels: { eyes: { use: demo/eyes, sees: [image] } }\ndefaults: { models: [demo/m] }\n',
  's.yaml': [
    'agents:',
    '  clerk: [{ call: { list_files: {} } }, { answer: "I saw them." }]',
    '  quick: [{ answer: "You said {{input}}." }]',
    '  editor: [{ call: { edit_file: { path: tea.txt, old_text: four, new_text: five } } }, { answer: "At five." }]',
    '  viewer: [{ answer: "A grey square." }]',
  ].join('\n'),
  'clerk.md': '---\ndescription: Asks.\ntools: [files]\napprove: [list_files]\n---\nAsk.\n',
  'quick.md': '---\ndescription: Answers.\n---\nAnswer.\n',
  'editor.md': '---\ndescription: Edits.\ntools: [files:write]\n---\nEdit.\n',
  'viewer.md': '---\ndescription: Looks.\nmodels: [eyes]\n---\nLook.\n',
  'tea.txt': 'tea at four\n',
};

let folder: Folder;
beforeAll(() => {
  built('export/thread.js');
  folder = folderWith(FILES);
});
afterAll(() => folder.remove());

const runs = (): readonly string[] => readdirSync(join(folder.path, '.cadre/runs')).toSorted();
const ran = async (...words: readonly string[]): Promise<string> => {
  const before = runs0();
  await folder.cadre(['run', ...words]);
  return runs().find((one) => !before.includes(one)) ?? '';
};
const runs0 = (): readonly string[] => (folder.has('.cadre/runs') ? runs() : []);
const exported = async (run: string): Promise<string> => {
  const { exit, stderr } = await folder.cadre(['export', run, '--out', `${run}.html`]);
  expect([exit, stderr]).toEqual([0, expect.stringContaining(`"cadre verify ${run}.html"`)]);
  return folder.read(`${run}.html`);
};
const identical = expect.stringMatching(/^identical: \d+ events$/m);

test('the file is named after the run, is written over only when asked, and goes to stdout as it is', async () => {
  const run = await ran('quick.md', 'hello');
  const made = await folder.cadre(['export', 'last']);
  const name = `quick-${run.slice(0, 15)}.html`;
  expect([made.exit, made.stdout]).toEqual([0, `${name}\n`]);
  expect(made.stderr).toMatch(
    new RegExp(`^Run ${run}, \\d+ kB\\. "cadre verify ${name}" replays what is in it\\.$`, 'm'),
  );
  const again = await folder.cadre(['export', run]);
  expect([again.exit, again.stderr]).toEqual([2, expect.stringContaining(`${name} is there already. --force`)]);
  expect((await folder.cadre(['export', run, '--force'])).exit).toBe(0);
  const piped = await folder.cadre(['export', run, '--out', '-']);
  expect(piped.stdout.replaceAll(/exported [^<]*|"at":\d+/g, '')).toBe(
    folder.read(name).replaceAll(/exported [^<]*|"at":\d+/g, ''),
  );
  expect((await folder.cadre(['verify', name])).stdout).toEqual(identical);
  const nowhere = await folder.cadre(['export', run, '--out', 'no/such/folder.html']);
  expect([nowhere.exit, nowhere.stderr]).toEqual([2, expect.stringContaining('--out names another file')]);
  expect((await folder.cadre(['export', 'nothing-of-that-name'])).stderr).toContain(
    'There is no run "nothing-of-that-name"',
  );
});

test('a file that is no run of Cadre is refused with the way out, and a record that was cut says so', async () => {
  const html = await exported(await ran('quick.md', 'hello'));
  const cases: readonly (readonly [string, string | Uint8Array, RegExp, number])[] = [
    [
      'garbage.html',
      new Uint8Array(4096).map((_, at) => (at * 7919) % 256),
      /garbage\.html holds no run: "cadre export/,
      2,
    ],
    ['empty.html', '', /empty\.html holds no run/, 2],
    ['other.html', '<!doctype html><title>Other</title><script>1</script>', /other\.html holds no run/, 2],
    ['cut.html', html.slice(0, html.indexOf('["event"') + 100), /cut\.html holds no run/, 2],
    ['huge.html', Buffer.alloc(41 * 1024 * 1024, ' '), /cadre export writes no such file/, 2],
    ['headless.html', html.replace('["head",', '["herd",'), /^changed: .* from the first line of its record/m, 1],
    ['answer.html', html.replace('You said hello.', 'You said no.'), /^changed: .* what it shows/m, 1],
  ];
  for (const [file, text, said, exit] of cases) {
    folder.write(file, text);
    const verified = await folder.cadre(['verify', file]);
    expect([file, verified.exit, verified.stdout + verified.stderr]).toEqual([file, exit, expect.stringMatching(said)]);
  }
  const missing = await folder.cadre(['verify', 'not-here.html']);
  expect([missing.exit, missing.stderr]).toEqual([2, expect.stringContaining('There is no file not-here.html.')]);
});

test('a record that does another thing on the same answers is different, and says where', async () => {
  const html = await exported(await ran('quick.md', 'hello'));
  const { fingerprint } = await import('../src/journal/fingerprint.ts');
  // Somebody changed an event and its digest, and drew what the file shows from that.
  const forged = html
    .split('\n')
    .map((line) => {
      if (!line.startsWith('["event"')) return line;
      const [, , event] = JSON.parse(line) as readonly [string, string, object];
      const other = JSON.parse(JSON.stringify(event).replaceAll('You said hello.', 'You said no.')) as object;
      return JSON.stringify(['event', fingerprint(JSON.stringify(other)), other]);
    })
    .join('\n')
    .replace('"version":"', '"version":"0.0.0-');
  folder.write(
    'forged.html',
    forged.replace('You said hello.', 'You said no.').replace('"agent":"quick","input"', '"agent":"quick","input"'),
  );
  const verified = await folder.cadre(['verify', 'forged.html']);
  // The model's reply and the answer agree, so the forged run is one that could have been: only what was asked is proved.
  expect([verified.exit, verified.stderr]).toEqual([0, expect.stringContaining('what it shows was not compared')]);
  const torn = forged
    .replace('You said no.","calls"', 'You said yes.","calls"')
    .split('\n')
    .map((line) => {
      if (!line.startsWith('["event"')) return line;
      const [, , event] = JSON.parse(line) as readonly [string, string, object];
      return JSON.stringify(['event', fingerprint(JSON.stringify(event)), event]);
    });
  folder.write('torn.html', torn.join('\n'));
  const different = await folder.cadre(['verify', 'torn.html']);
  expect([different.exit, different.stdout]).toEqual([1, expect.stringMatching(/^different: /)]);
});

test('a run that changed a file names no workspace, and replays', async () => {
  const html = await exported(await ran('editor.md', 'Later.', '--approve'));
  expect(folder.read('tea.txt')).toContain('five');
  expect(html).not.toContain(folder.path);
  expect(html).toContain('"type":"intent"');
  expect((await folder.cadre(['verify', `${runs().at(-1)}.html`])).stdout).toEqual(identical);
});

test('a long result is in the file whole, and the largest are left out where the file would be too large', async () => {
  const sizes = [60_000, 9_000_000, 8_000_000, 7_000_000];
  const dump = tool({
    name: 'dump',
    description: 'Dumps.',
    parameters: { type: 'object', properties: { size: { type: 'integer' } } },
    run: ({ size }: { readonly size: number }) =>
      `${size} letters ${randomBytes(size).toString('base64').slice(0, size)}`,
  });
  const store = memoryStore();
  const calls = sizes.map((size) => `{ dump: { size: ${size} } }`).join(', ');
  const own = folderWith({
    'cadre.yaml': FILES['cadre.yaml'],
    's.yaml': `agents: { dumper: [{ calls: [${calls}] }, { answer: done }] }`,
    'dumper.md': '---\ndescription: Dumps.\ntools: [dump]\n---\nDump.\n',
  });
  try {
    const engine = await openEngine(await loadCadre(own.path, { knownTools: ['dump'] }), {
      store,
      tools: [dump],
      warn() {},
    });
    const run = await engine.start({ agent: 'dumper', input: { text: 'Dump.' } });
    await engine.outcome(run);
    await engine.close();
    const { html, bytes, leftOut } = await exportRun(run, { store, version: '1.2.3', now: () => 0 });
    expect(bytes).toBeLessThanOrEqual(20 * 1024 * 1024);
    expect(leftOut.map((one) => one.bytes)).toEqual([expect.closeTo(9_000_000, -2)]);
    expect(html).toContain(`${leftOut[0]?.digest}, 9.0 MB`);
    expect(html).toContain('60000 letters ');
    expect(await verifyRun(html, { name: 'it', version: '1.2.3' })).toMatchObject({ result: { kind: 'identical' } });
  } finally {
    own.remove();
  }
});

test('a picture stands in the file, and a large one only by its name', async () => {
  writeFileSync(join(folder.path, 'grey.png'), png(20, 10));
  writeFileSync(join(folder.path, 'large.png'), Buffer.concat([png(30, 30), Buffer.alloc(2_200_000, 1)]));
  const run = await ran('viewer.md', 'What is it?', '--file', 'grey.png', '--file', 'large.png');
  const html = await exported(run);
  expect(html.match(/<img[^>]* src="data:image\/png;base64,/g)).toHaveLength(1);
  expect(html).toContain('large.png');
  expect((await folder.cadre(['verify', `${run}.html`])).stdout).toEqual(identical);
  folder.write(
    'other.html',
    html.replace(/(base64,.{30})(.)/, (_, kept: string, one: string) => kept + (one === 'A' ? 'B' : 'A')),
  );
  expect((await folder.cadre(['verify', 'other.html'])).stdout).toMatch(/^changed: .* what it shows/);
});

test('a run that waited for another names it in another way, and replays', async () => {
  const store = ['--store', join(folder.path, '.cadre')];
  await folder.cadre(['runs', 'spawn', 'quick.md', 'first', '--label', 'one', ...store]);
  const [first = ''] = runs().slice(-1);
  await folder.cadre(['runs', 'wait', 'one', ...store]);
  await folder.cadre([
    'runs',
    'spawn',
    'quick.md',
    'second',
    '--label',
    'two',
    '--after',
    'one',
    '--include-result',
    ...store,
  ]);
  await folder.cadre(['runs', 'wait', 'two', ...store]);
  const second = runs().find((one) => one > first) ?? '';
  const html = await exported(second);
  expect(html).toContain('You said first.');
  expect(html).not.toContain(first);
  expect((await folder.cadre(['verify', `${second}.html`])).stdout).toEqual(identical);
});

describe('runs of every store', () => {
  const closing: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });
  const places: readonly (readonly [string, () => Promise<RunStore>])[] = [
    ['memory', () => Promise.resolve(memoryStore())],
    ['files', () => Promise.resolve(fileStore(join(folder.path, '.other'), { warn() {} }))],
    ['Postgres', async () => postgresStore(await freshStore())],
    ...(noRestate === undefined
      ? [
          [
            'Restate',
            async () => {
              const { url } = await sharedRestate();
              const worker = await restateWorker(url, folder.path);
              await emptied(url);
              closing.push(() => worker.close());
              return restateStore(url, { warn() {} });
            },
          ] as const,
        ]
      : []),
  ];

  test.each(places)('%s: a run is exported while it waits, and after it ended', async (_, open) => {
    const store = await open();
    const engine = await openEngine(await loadCadre(folder.path), { store, approve: fromElsewhere, warn() {} });
    closing.unshift(
      () => engine.close(),
      async () => store.close?.(),
    );
    const options = { store, version: '1.2.3', now: () => 1_800_000_000_000 };
    const run = await engine.start({ agent: 'clerk', input: { text: 'Look.' } });
    let op = '';
    for await (const event of engine.events(run)) {
      if (event.type !== 'op-start' || event.op.kind !== 'approval') continue;
      op = event.path;
      break;
    }
    const live = await exportRun(run, options);
    const known = (await readAll(run, store)).length;
    expect(live.html).toContain(`waits for a person, as at event ${known - 1}`);
    expect(await verifyRun(live.html, { name: 'it', version: '1.2.3' })).toMatchObject({
      state: 'live',
      result: { kind: 'identical', events: known, ended: false },
    });
    await engine.control(run, newMessage({ kind: 'verdict', op, approved: true }));
    await engine.outcome(run);
    await store.notes.put(run, { by: 'ada', mark: 'good', text: 'well seen' });
    const { html, name } = await exportRun(run, options);
    expect(name).toMatch(/^clerk-\d{8}-\d{6}\.html$/);
    expect(html).toContain('well seen');
    expect(await verifyRun(html, { name: 'it', version: '1.2.3' })).toMatchObject({
      state: 'ended',
      result: { kind: 'identical', ended: true },
    });
  });
});

test('a run of 10,000 events is packed, and a changed byte in it is named as far as it can be', async () => {
  const store = memoryStore();
  const run = '20261101-000000-0000001';
  const lease = await store.claim(run, 0);
  await lease.append(longJournal(run, 10_000));
  const { html, bytes } = await exportRun(run, { store, version: '1.2.3', now: () => 0 });
  expect(bytes).toBeLessThan(4 * 1024 * 1024);
  const [, packed = ''] = /data-packed="gzip">\n(.*)\n/.exec(html) ?? [];
  const lines = gunzipSync(Buffer.from(packed, 'base64')).toString().split('\n');
  expect(lines.filter((line) => line.startsWith('["event"')).length).toBeGreaterThanOrEqual(10_000);
  const altered = lines.map((line) => (line.includes('"seq":7777,') ? line.replace('"at":18', '"at":17') : line));
  const repacked = html.replace(packed, gzipSync(altered.join('\n')).toString('base64'));
  expect(await verifyRun(repacked, { name: 'it', version: '1.2.3' })).toMatchObject({
    kind: 'changed',
    what: expect.stringMatching(/^event 7777,/),
  });
  const broken = html.replace(
    packed,
    packed.replace(/^(.{5000})./, (_, kept: string) => `${kept}!`),
  );
  await expect(verifyRun(broken, { name: 'it', version: '1.2.3' })).rejects.toThrow('cannot be unpacked');
});

describe('over HTTP', () => {
  const TOKENS = {
    looker: 'looker-token-of-the-test',
    stranger: 'stranger-token-of-the-test',
    asker: 'asker-token-of-the-test',
  };
  let served: ServedFolder;
  beforeAll(async () => {
    served = await servedFolder({
      'cadre.yaml': `${SCRIPTED}
server:
  tokens:
    looker: { token: "${TOKENS.looker}", may: [see], agents: [greeter] }
    stranger: { token: "${TOKENS.stranger}", may: [see, run, approve], agents: [keeper] }
    asker: { token: "${TOKENS.asker}", may: [run], agents: [greeter] }
`,
      'greeter.md': '---\ndescription: Greets.\n---\nGreet them.\n',
      'keeper.md': '---\ndescription: Keeps.\n---\nKeep it.\n',
      'script.yaml': 'agents: { greeter: [{ answer: "Hello." }], keeper: [{ answer: "Kept." }] }',
    });
  });
  afterAll(() => served.remove());

  test('a token that may see a run gets it as a download, and to others it is unknown', async () => {
    const { body } = await served.ask('POST', '/api/runs?wait=30s', { agent: 'greeter', input: 'Hello' });
    const at = `/api/runs/${body.run}/export`;
    const file = await clientOf(served.url, TOKENS.looker).get(at);
    expect([file.status, file.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(file.headers.get('content-disposition')).toMatch(
      /^attachment; filename\*=UTF-8''greeter-\d{8}-\d{6}\.html$/,
    );
    expect(file.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
    expect(await verifyRun(file.text, { name: 'it', version: served.server.context.version })).toMatchObject({
      result: { kind: 'identical' },
    });
    expect((await clientOf(served.url, TOKENS.stranger).get(at)).body.code).toBe('run/unknown');
    expect((await clientOf(served.url, TOKENS.asker).get(at)).body.code).toBe('request/forbidden');
    expect((await clientOf(served.url, 'no-token-of-anybody').get(at)).status).toBe(401);
    expect((await served.get('/api/runs/20200101-000000-0000000/export')).body.code).toBe('run/unknown');
  });
});
