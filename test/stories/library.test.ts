// The library as a program uses it: load a folder, hand in functions, run, watch, resume, close.

import { afterEach, expect, expectTypeOf, test } from 'vitest';
import {
  type AnsweredOutcome,
  type BrokenOutcome,
  type Cadre,
  FaultError,
  loadCadre,
  memoryStore,
  type RunHandle,
  runReport,
  tool,
} from '../../src/index.ts';
import { type Folder, folderWith } from '../support/cli.ts';

const FILES = {
  'cadre.yaml': 'providers: { demo: { kind: scripted, script: ./s.yaml } }\ndefaults: { models: [demo/x] }\n',
  'clerk.md': '---\ndescription: Looks orders up\ntools: [order_total]\n---\nLook it up.\n',
  'form.md':
    '---\ndescription: Takes a form\ninput: { format: json, schema: { type: object, required: [n] } }\n---\nTake it.\n',
  's.yaml': `agents:
  clerk: [{ call: { order_total: { order: 17 } } }, { answer: "It was {{last}}." }]
  form: [{ answer: "Taken.", delay: 50ms }]
`,
};

const orderTotal = tool<{ order: number }>({
  name: 'order_total',
  description: 'The total of an order',
  parameters: { type: 'object', properties: { order: { type: 'integer' } }, required: ['order'] },
  run: ({ order }) => `${order * 2} euros`,
});

const opened: { readonly folder: Folder; readonly cadre?: Cadre }[] = [];
const load = async (options: Parameters<typeof loadCadre>[1] = {}): Promise<Cadre> => {
  const folder = folderWith(FILES);
  opened.push({ folder });
  const cadre = await loadCadre(folder.path, { store: 'memory', tools: [orderTotal], ...options });
  opened.push({ folder, cadre });
  return cadre;
};
afterEach(async () => {
  for (const { folder, cadre } of opened.splice(0)) {
    await cadre?.close();
    folder.remove();
  }
});

test('a function is a tool, and the handle gives events and outcome', async () => {
  const cadre = await load();
  const handle = await cadre.run('clerk', 'order 17');
  const events = [];
  for await (const event of handle.events()) events.push(event);
  expect(await handle.outcome()).toMatchObject({ kind: 'answered', text: 'It was 34 euros.' });
  expect([events[0]?.type, events.at(-1)?.type]).toEqual(['run-start', 'run-end']);
  expect(runReport(events).totals.calls).toBe(2);
});

test('a run ends in an answer or a fault, and the types say so', async () => {
  expectTypeOf<Awaited<ReturnType<RunHandle['outcome']>>>().toEqualTypeOf<AnsweredOutcome | BrokenOutcome>();
  const cadre = await load();
  const outcome = await (await cadre.run('clerk', 'order 17')).outcome();
  // Compiles only where nothing but an answer is without a fault.
  expect(outcome.kind === 'answered' ? outcome.text : outcome.fault.message).toBe('It was 34 euros.');
});

test('JSON input is a value, checked before anything runs', async () => {
  const store = memoryStore();
  const cadre = await load({ store });
  await expect(cadre.run('form', { m: 1 })).rejects.toThrow('$ must have the property "n"');
  await expect(cadre.run('form', undefined)).rejects.toThrow(FaultError);
  await expect(cadre.run('clerk', { n: 1 })).rejects.toThrow('clerk takes a text');
  await expect(cadre.run('clark', 'x')).rejects.toThrow('Did you mean "clerk"?');
  expect(await store.list()).toEqual([]);
  expect(await (await cadre.run('form', { n: 1 })).outcome()).toMatchObject({ kind: 'answered' });
});

test('a signal cancels the run', async () => {
  const cadre = await load();
  const abort = new AbortController();
  const handle = await cadre.run('form', { n: 1 }, { signal: abort.signal });
  abort.abort('enough');
  expect(await handle.outcome()).toMatchObject({ kind: 'cancelled' });
});

test('runs are kept in the folder unless told otherwise, and found again by another process', async () => {
  const folder = folderWith(FILES);
  opened.push({ folder });
  const cadre = await loadCadre(folder.path, { tools: [orderTotal] });
  const handle = await cadre.run('clerk', 'order 17');
  await handle.outcome();
  await cadre.close();
  expect(folder.journal().at(-1)).toMatchObject({ type: 'run-end' });
  const again = await loadCadre(folder.path, { tools: [orderTotal] });
  await expect(again.resume('last')).rejects.toThrow('has ended');
  expect(await folder.cadre(['replay', 'last'])).toMatchObject({
    exit: 0,
    stdout: expect.stringContaining('identical'),
  });
  await again.close();
});

test('an agent that cannot run is left out with a warning, and the others run', async () => {
  const folder = folderWith({ ...FILES, 'bad.md': '---\ndescripton: x\n---\n' });
  const warnings: string[] = [];
  const cadre = await loadCadre(folder.path, {
    tools: [orderTotal],
    store: 'memory',
    warn: (text) => warnings.push(text),
  });
  opened.push({ folder, cadre });
  expect(warnings).toEqual([expect.stringContaining('cannot run: bad (errors in bad.md)')]);
  await expect(cadre.run('bad', 'x')).rejects.toThrow('bad cannot run: bad.md has errors');
});

test('a folder in which no agent can run rejects with every finding', async () => {
  const folder = folderWith({ 'bad.md': '---\ndescripton: x\n---\n', 'clerk.md': FILES['clerk.md'] });
  opened.push({ folder });
  const refusal = await loadCadre(folder.path).catch((thrown: unknown) => thrown);
  expect(refusal).toBeInstanceOf(FaultError);
  expect((refusal as FaultError).fault).toMatchObject({ code: 'agent/invalid' });
  expect((refusal as FaultError).message).toMatch(/bad\.md:2:1[\s\S]*clerk\.md:3/);
});

test('a stage that the run does not have is refused at its start', async () => {
  const cadre = await load();
  await expect(cadre.run('clerk', 'x', { stopAfter: 'form' })).rejects.toThrow('a run of clerk has no stage "form"');
  await expect(cadre.run('clerk', 'x', { stopAfter: 'nobody' })).rejects.toMatchObject({
    fault: { code: 'agent/unknown' },
  });
});
