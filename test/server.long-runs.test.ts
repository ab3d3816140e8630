// Runs with very many ops: no route takes more steps than the run has events, and other requests are answered in between.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { atOnce } from '../src/base/text/steps.ts';
import type { RunEvent } from '../src/journal/event.ts';
import { changesOf } from '../src/views/changes.ts';
import { forkPreview } from '../src/views/fork-preview.ts';
import { call, journalByHand } from './support/events.ts';
import { SCRIPTED, type ServedFolder, servedFolder } from './support/server.ts';

const RUN = '20260101-000000-aaaaaaa';
const OTHER = '20260101-000001-bbbbbbb';
const TURNS = 4000;
/** No slice has more steps than this. */
const MOST_STEPS = 512;

let served: ServedFolder;
beforeAll(async () => {
  served = await servedFolder({
    'cadre.yaml': SCRIPTED,
    'greeter.md': '---\ndescription: Greets.\n---\nGreet.\n',
    'script.yaml': 'agents:\n  greeter: [{ answer: Hello, repeat: true }]\n',
  });
  await write(RUN, 'read');
  await write(OTHER, 'read again');
});
afterAll(() => served.remove());

function longRun(text = 'read'): readonly RunEvent[] {
  const book = journalByHand('greeter');
  for (let turn = 0; turn < TURNS; turn++) {
    const path = `0.${2 * turn}`;
    book
      .ask(path, { turn: turn + 1 })
      .reply(path, turn === TURNS - 1 ? text : 'read', [call(`c${turn}`, 'list_files')]);
    book.tool(`0.${2 * turn + 1}`, call(`c${turn}`, 'list_files')).toolEnds(`0.${2 * turn + 1}`, 'nothing');
  }
  return book.over().events;
}

async function write(run: string, text: string): Promise<void> {
  const { store, folder } = served.server.context;
  const lease = await store.claim(run, 0);
  const [start, ...rest] = longRun(text);
  await lease.append([{ ...start, run, folder, texts: {} } as RunEvent, ...rest]);
  await lease.release();
}

/** The number of turns of the event loop while it was answered. */
async function turnsOf(path: string, headers: Readonly<Record<string, string>> = {}): Promise<number> {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const answer = await served.get(path, headers);
  isOver = true;
  expect(answer.status).toBe(200);
  return turns;
}

const EVENTS = 4 * TURNS;
test.each([
  [`/api/runs/${RUN}`, 4],
  [`/api/runs/${RUN}/fork?at=0.1`, 2],
  [`/api/runs/${RUN}/fork?at=0.${2 * TURNS - 2}`, 2],
  [`/api/diff?a=${RUN}&b=${OTHER}`, 6],
  [`/api/runs/${RUN}/changes`, 1],
  [`/api/approvals?run=${RUN}`, 1],
])('%s leaves the event loop free', async (path, passes) => {
  expect(await turnsOf(path)).toBeGreaterThan((passes * EVENTS) / MOST_STEPS / 2);
});

test('the events in one body, and as a stream, leave the event loop free', async () => {
  const path = `/api/runs/${RUN}/events`;
  expect(await turnsOf(path, { accept: 'application/x-ndjson' })).toBeGreaterThan(EVENTS / MOST_STEPS);
  expect(await turnsOf(path)).toBeGreaterThan(EVENTS / MOST_STEPS);
});

test('a long body has all of its run', async () => {
  const { body } = await served.get(`/api/runs/${RUN}`);
  expect(body.ledger).toHaveLength(TURNS);
  expect(body.tree.inclusive.calls).toBe(TURNS);
  expect(body.tree.children[0].children).toHaveLength(TURNS);
  const lines = await served.get(`/api/runs/${RUN}/events`, { accept: 'application/x-ndjson' });
  expect(lines.text.trimEnd().split('\n')).toHaveLength(EVENTS + 2);
  const diff = (await served.get(`/api/diff?a=${RUN}&b=${OTHER}`)).body;
  expect(diff.parting).toMatchObject({ kind: 'answered', path: `0.${2 * TURNS - 2}` });
});

/** Counts how often places of events and of changes are read. */
function counting(): { watch<Value extends object>(value: Value): Value; reads(): number } {
  let reads = 0;
  const get = (target: object, key: string | symbol): unknown => {
    if (key === 'path') reads++;
    return Reflect.get(target, key);
  };
  return {
    watch: <Value extends object>(value: Value) => new Proxy(value, { get: get as ProxyHandler<Value>['get'] & {} }),
    reads: () => reads,
  };
}

test('the preview of a fork looks at each event a few times', () => {
  const { watch, reads } = counting();
  const events = longRun().map(watch);
  expect(atOnce(forkPreview(events, '0.1')).again).toEqual([]);
  expect(reads()).toBeLessThan(10 * events.length);
});

test('changes that were refused are judged without a look at all later ones', () => {
  const { watch, reads } = counting();
  const book = journalByHand();
  for (let n = 0; n < TURNS; n++) {
    book.tool(`0.${n}`, call(`c${n}`, 'write_file'));
    const change = watch({
      kind: 'edit' as const,
      root: '/w',
      path: `f${n}`,
      before: { digest: 'a', bytes: 1, mode: 0o644 },
    });
    book.add({ type: 'intent', path: `0.${n}`, change });
    book.toolEnds(`0.${n}`, 'no', 'error');
  }
  const { events } = book.over();
  expect(changesOf(events)).toHaveLength(TURNS);
  expect(reads()).toBeLessThan(10 * events.length);
});
