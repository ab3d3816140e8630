// Pictures and documents through the engine: who is shown them, in and around every pattern, in threads, over a crash.

import { expect, test } from 'vitest';
import { inputWithFiles } from '../src/engine/files/input-with-files.ts';
import { type GivenFile, takeFiles } from '../src/engine/files/take-files.ts';
import { forkRun } from '../src/engine/history/fork.ts';
import { replay } from '../src/engine/history/replay.ts';
import { readAll } from '../src/engine/pinned.ts';
import { tipAfter } from '../src/engine/threads/thread.ts';
import type { RunEvent } from '../src/journal/event.ts';
import { pruneRuns } from '../src/journal/prune.ts';
import type { History, ModelRequest, RunInput } from '../src/kernel/effect.ts';
import type { FileRef, Sight } from '../src/kernel/file-ref.ts';
import { filesWithin } from '../src/kernel/message.ts';
import { OWN_UPLOADS } from '../src/run/name-files.ts';
import { services } from '../src/run/services.ts';
import { memoryStore } from '../src/stores/memory.ts';
import {
  type AgentSketch,
  agent,
  type BenchOptions,
  bench,
  brokenOff,
  cadre,
  call,
  type Finished,
  finish,
  type Model,
} from './support/cadre.ts';
import { pdf, pdfBomb, pictureRef, png, pngSaying } from './support/media.ts';

const EYES: Sight = { sees: ['image', 'pdf'], rules: ['anthropic'] };
const SHOT = pictureRef();
const LINE = '[file 1: shot.png, image/png, 84 kB, 1280×720]';
const ASKED: RunInput = { text: 'What is this?', files: [SHOT] };

const shownIn = ({ messages }: ModelRequest): readonly string[] =>
  messages.flatMap((message) => filesWithin(message).map(({ name }) => name));
const firstOf = (request: ModelRequest): string => (request.messages[request.history ?? 0] as { text: string }).text;

interface Heard {
  readonly files: readonly string[];
  readonly text: string;
}

/** The files and the text that each agent had with its first request. */
async function heardBy(
  sketches: readonly AgentSketch[],
  model: Model,
  { input = ASKED, ...options }: BenchOptions & { readonly input?: RunInput } = {},
): Promise<Finished & { readonly heard: Readonly<Record<string, Heard>> }> {
  const heard: Record<string, Heard> = {};
  const of = cadre(...sketches);
  const b = bench(
    of,
    (request, signal) => {
      heard[request.agent] ??= { files: shownIn(request), text: firstOf(request) };
      return model(request, signal);
    },
    { sight: EYES, ...options },
  );
  const done = await finish(b, { agent: sketches[0]?.name ?? '', input });
  const again = await replay(done.events, of, services);
  expect(again, JSON.stringify(again)).toMatchObject({ kind: 'identical' });
  return { ...done, heard };
}

const says: Model = ({ agent: name }) => `${name} says`;

test('the agent is shown the file, with a line for it in the text', async () => {
  const { heard, events } = await heardBy([{ name: 'ann' }], says);
  expect(heard['ann']).toEqual({ files: ['shot.png'], text: `What is this?\n\n${LINE}` });
  expect(events[0]).toMatchObject({ type: 'run-start', input: { text: 'What is this?', files: [SHOT] } });
});

test('beside a JSON input the line stands in a part of its own', async () => {
  let message: unknown;
  const input = { text: '{"city":"Oslo"}', data: { city: 'Oslo' }, files: [SHOT] };
  await heardBy(
    [{ name: 'ann', input: { format: 'json' } }],
    ({ messages }) => {
      message = messages[0];
      return 'ok';
    },
    { input },
  );
  expect(message).toEqual({ role: 'user', text: '{"city":"Oslo"}', files: [SHOT], beside: LINE });
});

test('advisors, and the agent that they advise, are shown the file', async () => {
  const advised = { agents: ['bob'], policy: { kind: 'isolate' } } as const;
  const { heard } = await heardBy([{ name: 'ann', advisors: advised }, { name: 'bob' }], says);
  expect(heard['bob']).toEqual({ files: ['shot.png'], text: `What is this?\n\n${LINE}` });
  expect(heard['ann']?.files).toEqual(['shot.png']);
  expect(heard['ann']?.text).toContain(`## ORIGINAL USER REQUEST\n\nWhat is this?\n\n${LINE}\n\n## ANALYSIS GATHERED`);
});

test('the destination of a router is shown the file, also if it takes JSON', async () => {
  const router = { destinations: ['bob'] };
  const model: Model = ({ agent: name }) =>
    name === 'ann' ? call('handoff-to', { agent: 'bob', message: 'Look closely.' }) : `${name} says`;
  const { heard } = await heardBy([{ name: 'ann', router }, { name: 'bob' }], model);
  expect(heard['bob']?.files).toEqual(['shot.png']);
  expect(heard['bob']?.text).toContain(`What is this?\n\n${LINE}\n\n## MESSAGE FROM AGENT`);
  const json = await heardBy(
    [
      { name: 'ann', router },
      { name: 'bob', input: { format: 'json' } },
    ],
    ({ agent: name }) => (name === 'ann' ? call('handoff-to', { agent: 'bob', input: { a: 1 } }) : '{}'),
  );
  expect(json.heard['bob']).toEqual({ files: ['shot.png'], text: '{"a":1}' });
});

test('members of a team and its supervisor are shown the file', async () => {
  const model: Model = ({ agent: name }) =>
    name === 'ann' ? 'done' : call('team_broadcast', { message: `${name} sees it` });
  const team = { members: ['bob'], supervisor: 'ann' } as const;
  const { heard } = await heardBy([{ name: 'ann', team }, { name: 'bob' }], model);
  expect(heard['bob']?.files).toEqual(['shot.png']);
  expect(heard['ann']?.files).toEqual(['shot.png']);
});

test('a plain stage gets the answer alone, and a later one with the request is shown the file again', async () => {
  const plain = { trigger: 'next', pass: 'answer', stages: [{ to: 'bob' }] } as const;
  const whole = { trigger: 'next', pass: 'request+answer', stages: [{ to: 'cid' }] } as const;
  const { heard, events } = await heardBy(
    [{ name: 'ann', chain: plain }, { name: 'bob', chain: whole }, { name: 'cid' }],
    says,
  );
  expect(heard['bob']).toEqual({ files: [], text: 'ann says' });
  expect(heard['cid']?.files).toEqual(['shot.png']);
  expect(heard['cid']?.text).toContain(`What is this?\n\n${LINE}\n\n## ANSWER FROM AGENT \`bob\``);
  expect(inputsOf(events)).toMatchObject([{ originFiles: [SHOT] }, { files: [SHOT] }]);
});

const inputsOf = (events: readonly RunEvent[]): readonly unknown[] =>
  events.flatMap((event) => (event.type === 'op-start' && event.op.kind === 'run' ? [event.op.input] : []));

test('a sub-agent gets what it is given, and the files that its tool is asked to hand on', async () => {
  const results: string[] = [];
  const model: Model = ({ agent: name, turn, messages }) => {
    if (name !== 'ann') return `${name} says`;
    const last = messages.at(-1);
    if (last?.role === 'tool') results.push(last.result.text);
    if (turn === 1) return call('agent__bob', { input: 'Read it.', reason: 'r', files: ['none.png'] });
    if (turn === 2) return call('agent__bob', { input: 'Read it.', reason: 'r', files: ['shot.png'] });
    if (turn === 3) return call('agent__cid', { input: 'Hear it.', reason: 'r' });
    return 'done';
  };
  const { heard } = await heardBy(
    [{ name: 'ann', agents: ['bob', 'cid'] }, { name: 'bob', accepts: ['image'] }, { name: 'cid' }],
    model,
  );
  expect(heard['bob']).toEqual({ files: ['shot.png'], text: `Read it.\n\n${LINE}` });
  expect(heard['cid']).toEqual({ files: [], text: 'Hear it.' });
  expect(results[0]).toBe('There is no file "none.png" at hand. There is: shot.png.');
});

test('a sub-agent that takes PDF files is not handed a picture', async () => {
  let told = '';
  await heardBy(
    [
      { name: 'ann', agents: ['bob'] },
      { name: 'bob', accepts: ['pdf'] },
    ],
    (request) => {
      const last = request.messages.at(-1);
      if (last?.role === 'tool') told = last.result.text;
      return request.turn === 1 ? call('agent__bob', { input: 'x', reason: 'r', files: ['shot.png'] }) : 'done';
    },
  );
  expect(told).toBe('bob does not take "shot.png", which is image/png. It takes: pdf.');
});

test('an agent whose models see nothing is told the line, and its window is not filled', async () => {
  const three = { ...ASKED, files: Array.from({ length: 20 }, (_, index) => pictureRef(`${index}.png`)) };
  const blind = await heardBy([{ name: 'ann', accepts: ['image'] }], says, {
    input: three,
    sight: { sees: [], rules: ['unknown'] },
    contextWindow: 4000,
  });
  expect(blind.outcome).toMatchObject({ kind: 'answered' });
});

test('files of a result make room before its text does, and read_result shows them again', async () => {
  const requests: ModelRequest[] = [];
  const look = {
    spec: { name: 'look', description: 'Looks.', parameters: { type: 'object', properties: {} } },
    repeat: 'safe' as const,
    execute: async () => ({
      status: 'ok' as const,
      text: 'A word.',
      files: [{ name: 'a.png', data: png(1200, 1200) }],
    }),
  };
  const { outcome } = await heardBy(
    [{ name: 'ann', tools: ['look'], maxTurns: 6 }],
    (request) => {
      requests.push({ ...request, messages: [...request.messages] });
      if (request.turn <= 3) return call('look', { turn: request.turn });
      const handle = /read_result\(\{"handle": "([^"]+)"/.exec(
        JSON.stringify(request.messages).replaceAll('\\"', '"'),
      )?.[1];
      return request.turn === 4 ? call('read_result', { handle }) : 'done';
    },
    { input: { text: 'Look three times.' }, tools: [look], contextWindow: 3000 },
  );
  expect(outcome).toMatchObject({ kind: 'answered' });
  const shown = requests.map((request) => shownIn(request).length);
  expect(Math.max(...shown)).toBeLessThan(4);
  expect(requests.some(({ folded }) => folded.length > 0)).toBe(true);
  const back = requests.at(-1)?.messages.at(-1);
  expect(back).toMatchObject({ role: 'tool', name: 'read_result', result: { shown: { files: [{ name: 'a.png' }] } } });
});

test('a thread of three messages shows the picture of the first, and of many the newest twenty', async () => {
  const store = memoryStore();
  const seen: (readonly string[])[] = [];
  const of = cadre({ name: 'ann' });
  const b = bench(
    of,
    (request) => {
      seen.push(shownIn(request));
      return `answer ${seen.length}`;
    },
    { store, sight: EYES },
  );
  let history: History = [];
  for (const input of [ASKED, { text: 'And its colour?' }, { text: 'And its size?' }]) {
    const { run, events } = await finish(b, {
      agent: 'ann',
      thread: 't1',
      input: history.length === 0 ? input : { ...input, history },
    });
    history = (await tipAfter(run, store)).history;
    expect(await replay(events, of, services)).toMatchObject({ kind: 'identical' });
  }
  expect(seen).toEqual([['shot.png'], ['shot.png'], ['shot.png']]);
  expect(history[0]).toEqual({ role: 'user', text: 'What is this?', files: [SHOT] });

  const many: History = Array.from({ length: 25 }, (_, index) => [
    { role: 'user', text: `${index}`, files: [pictureRef(`${index}.png`)] } as const,
    { role: 'assistant', text: 'seen' } as const,
  ]).flat();
  let messages: ModelRequest['messages'] = [];
  await heardBy(
    [{ name: 'ann' }],
    (request) => {
      messages = [...request.messages];
      return 'ok';
    },
    { input: { ...ASKED, history: many } },
  );
  const names = messages.flatMap((message) => filesWithin(message).map(({ name }) => name));
  expect(names).toHaveLength(20);
  expect(names.slice(0, 2)).toEqual(['6.png', '7.png']);
  expect((messages[0] as { text: string }).text).toBe('0\n\n[file 1: 0.png, image/png, 84 kB, 1280×720]');
});

test('a file that an agent does not accept is refused before anything is recorded', async () => {
  const b = bench(cadre({ name: 'ann' }), says, { sight: { sees: ['pdf'], rules: ['unknown'] } });
  await expect(b.engine.start({ agent: 'ann', input: ASKED })).rejects.toThrow(
    'ann does not take "shot.png" (image/png): none of its models (test/model) is known to see pictures.',
  );
  const narrow = bench(cadre({ name: 'ann', accepts: ['pdf'] }), says, { sight: EYES });
  await expect(narrow.engine.start({ agent: 'ann', input: ASKED })).rejects.toThrow('ann.md accepts only pdf.');
  expect(await b.store.list()).toEqual([]);
});

test('a run without files records what it recorded before', async () => {
  const { events } = await heardBy([{ name: 'ann' }], says, { input: { text: 'go' }, contextWindow: 9000 });
  expect(JSON.stringify(events)).not.toMatch(/sight|files|shown|beside/);
});

test('a crash at any event goes on with the file', async () => {
  const of = cadre({ name: 'ann', advisors: { agents: ['bob'], policy: { kind: 'isolate' } } }, { name: 'bob' });
  const done = await finish(bench(of, says, { sight: EYES }), { agent: 'ann', input: ASKED });
  for (let count = 1; count < done.events.length; count++) {
    const store = await brokenOff(done.events, count, done.run);
    const seen: (readonly string[])[] = [];
    const b = bench(
      of,
      (request) => {
        seen.push(shownIn(request));
        return `${request.agent} says`;
      },
      { store, sight: EYES },
    );
    await b.engine.resume(done.run);
    expect(await b.engine.outcome(done.run)).toMatchObject({ kind: 'answered', text: 'ann says' });
    expect(seen.every((names) => names.join() === 'shot.png')).toBe(true);
  }
});

const take = (files: readonly GivenFile[], store = memoryStore()) =>
  takeFiles(files, { uploads: store.uploads, owner: OWN_UPLOADS });

test('a file is what its bytes say, whatever its name', async () => {
  const { files, texts } = await take([
    { name: 'notes.txt', data: png(30, 20) },
    { name: 'plan.png', data: pdf(3).toString('base64') },
    { name: 'drawing.png', data: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>') },
    { name: 'both.pdf', data: Buffer.concat([png(4, 4), pdf(1)]) },
    { name: '/home/me/notes.txt', data: png(31, 20) },
  ]);
  expect(files.map(({ name, type, width, pages }) => [name, type, width ?? pages])).toEqual([
    ['notes.txt', 'image/png', 30],
    ['plan.png', 'application/pdf', 3],
    ['both.pdf', 'image/png', 4],
    ['notes (2).txt', 'image/png', 31],
  ]);
  expect(texts.map(({ name }) => name)).toEqual(['drawing.png']);
});

const SMALL = png(1, 1);

test.each<[string, readonly GivenFile[], string]>([
  ['bytes of no known type', [{ name: 'a.bin', data: Buffer.from([1, 0, 2]) }], 'is neither text in UTF-8 nor'],
  ['a picture of 30,000 × 30,000', [{ name: 'a.png', data: pngSaying(30_000, 30_000) }], 'has 30000×30000 pixels'],
  [
    'a picture over 5 MiB',
    [{ name: 'a.png', data: Buffer.concat([SMALL, Buffer.alloc(5_242_880)]) }],
    'has 5.0 MiB (5,242,947 bytes), and a picture has at most 5.0 MiB (5,242,880 bytes)',
  ],
  ['a cut picture', [{ name: 'a.png', data: SMALL.subarray(0, 20) }], 'cannot be read as image/png'],
  ['a broken PDF', [{ name: 'a.pdf', data: Buffer.from('%PDF-1.7\nno more') }], 'cannot be read as application/pdf'],
  ['101 pages', [{ name: 'a.pdf', data: pdf(101) }], 'has 101 pages, and a PDF has at most 100'],
  ['21 files', Array.from({ length: 21 }, () => ({ name: 'a.png', data: SMALL })), '21 files are too many'],
  ['base64 of 100 MB', [{ name: 'a.png', data: 'A'.repeat(100_000_000) }], 'has more than 24.0 MiB'],
  ['what is no base64', [{ name: 'a.png', data: 'a b c' }], 'is not base64'],
  ['a data address', [{ name: 'a.png', data: 'data:image/png;base64,AAAA' }], 'is an address, and nothing is fetched'],
  ['an address', [{ name: 'a.png', data: 'https://example.com/a.png' }], 'is an address, and nothing is fetched'],
  ['a digest that nobody uploaded', [{ digest: 'c'.repeat(64) }], 'it was not uploaded, or more than a day ago'],
  ['a digest that is a path', [{ digest: '../../etc' }], 'it was not uploaded'],
])('%s is refused, and nothing is kept', async (_, files, why) => {
  const store = memoryStore();
  await expect(take(files, store)).rejects.toThrow(why);
  expect((await store.collect({ before: Date.now() + 1, dryRun: true })).removed.count).toBe(0);
});

test('a PDF that unpacks to more than the thread may have is refused while the process hears its clock', async () => {
  let ticks = 0;
  const timer = setInterval(() => ticks++, 5);
  await expect(take([{ name: 'bomb.pdf', data: pdfBomb(400_000_000) }])).rejects.toThrow(
    'cannot be read as application/pdf',
  );
  clearInterval(timer);
  expect(ticks).toBeGreaterThan(10);
});

test('a locked PDF says that it is', async () => {
  const key = `<${'00'.repeat(32)}>`;
  const locked = pdf(1, `/ID [<00> <00>] /Encrypt << /Filter /Standard /V 1 /R 2 /P -44 /O ${key} /U ${key} >> `);
  await expect(take([{ name: 'a.pdf', data: locked }])).rejects.toThrow('it is locked with a password');
});

test('a text stands in the input, and pictures alone are an input', async () => {
  const taker = { uploads: memoryStore().uploads, owner: OWN_UPLOADS };
  const ann = agent({ name: 'ann' });
  const both = await inputWithFiles(
    ann,
    'Sum up.',
    [
      { name: 'a.txt', data: Buffer.from('Lamps.\n') },
      { name: 'b.png', data: SMALL },
    ],
    taker,
  );
  expect(both).toMatchObject({ files: [{ name: 'b.png' }] });
  expect(both.text).toMatch(/^Sum up\.\n\n<<<\w+ file a\.txt: data [^\n]*\nLamps\.\n/);
  expect(await inputWithFiles(ann, undefined, [{ name: 'b.png', data: SMALL }], taker)).toMatchObject({
    text: 'See the files.',
  });
  const json = agent({ name: 'ann', input: { format: 'json' } });
  await expect(inputWithFiles(json, {}, [{ name: 'a.txt', data: Buffer.from('x') }], taker)).rejects.toThrow(
    'ann takes JSON, and "a.txt" is a text.',
  );
});

const DAY = 86_400_000;

test('a file that no run named goes after a day, and one that a run has stays until the run goes', async () => {
  let now = 1_000_000;
  const store = memoryStore({ now: () => now });
  const taker = { uploads: store.uploads, owner: 'me' };
  const { files } = await takeFiles(
    [
      { name: 'a.png', data: png(5, 5) },
      { name: 'b.png', data: png(6, 6) },
    ],
    taker,
  );
  const [kept, orphan] = files as readonly [FileRef, FileRef];
  const b = bench(cadre({ name: 'ann' }), says, { store, sight: EYES, now: () => now });
  await finish(b, { agent: 'ann', input: { text: 'x', files: [kept] } });

  now += 7_200_000;
  expect((await pruneRuns(store, { keep: 1 }, now)).blobs.removed.count).toBe(0); // not yet a day
  expect(await store.uploads.get('me', orphan.digest)).toEqual(orphan);
  expect(await store.uploads.get('you', orphan.digest)).toBeUndefined();
  now += DAY;
  expect(await store.uploads.sweep()).toBe(1);
  expect(await store.blobs.get(orphan.digest)).toBeUndefined();
  expect(await store.blobs.get(kept.digest)).toBeDefined();
  now += DAY;
  await pruneRuns(store, {}, now);
  expect(await store.blobs.get(kept.digest)).toBeUndefined();
});

test('a fork has the file, and copies nothing', async () => {
  const store = memoryStore();
  const { files } = await take([{ name: 'a.png', data: png(5, 5) }], store);
  const of = cadre({ name: 'ann' });
  const b = bench(of, says, { store, sight: EYES });
  const { run, events } = await finish(b, { agent: 'ann', input: { text: 'x', files } });
  const before = (await store.collect({ before: 0, dryRun: true })).kept;
  const at = events.find((event) => event.type === 'op-start')?.path ?? '';
  const forked = await forkRun({ run, at }, { store, cadre: of, texts: 'pinned', now: Date.now });
  await b.engine.resume(forked.run);
  expect(await b.engine.outcome(forked.run)).toMatchObject({ kind: 'answered' });
  expect((await readAll(forked.run, store))[0]).toMatchObject({ input: { files } });
  expect((await store.collect({ before: 0, dryRun: true })).kept).toEqual(before);
});
