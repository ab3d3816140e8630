// A branch and a map in the built command line, killed with kill -9 while the agent of the case or the items are at
// work. Their model is held until the process is gone, so every kill finds them there.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { replay } from '../../src/engine/history/replay.ts';
import { pinnedCadre, startOf } from '../../src/engine/pinned.ts';
import type { RunEvent } from '../../src/journal/event.ts';
import { services } from '../../src/run/services.ts';
import { cli, startCli } from './support/cli.ts';
import { hurried, stories } from './support/stories.ts';
import { eventsOf, modelCalls, openStore, outcomeOf, shapeOf } from './support/victim.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

interface Held {
  readonly name: string;
  /** The agent whose model is held in this turn, and how many of its runs are at work then. */
  readonly agent: string;
  readonly turn: number;
  readonly atWork: number;
}

const HELD: readonly Held[] = [
  { name: 'inbox', agent: 'berths', turn: 1, atWork: 1 },
  { name: 'digest', agent: 'reader', turn: 1, atWork: 3 },
  { name: 'digest', agent: 'reader', turn: 2, atWork: 3 },
  { name: 'digest', agent: 'editor', turn: 1, atWork: 1 },
];
const KILLS = 2;

/** Kills the process as soon as so many calls of the agent's model have begun in it. It prints the `seen` events again. */
async function killedAtWork(args: readonly string[], { agent, turn, atWork }: Held, seen: number): Promise<void> {
  let begun = 0;
  const running = startCli(args, {
    onLine(line) {
      const event = JSON.parse(line) as RunEvent;
      if (event.seq < seen || event.type !== 'op-start' || event.op.kind !== 'model') return;
      if (event.op.agent === agent && event.op.turn === turn && ++begun === atWork) running.child.kill('SIGKILL');
    },
  });
  const { code, stderr } = await running.done;
  expect(code, stderr).toBeNull();
}

async function onlyRun(dir: string): Promise<{ readonly run: string; readonly events: readonly RunEvent[] }> {
  const store = openStore(dir);
  const [summary] = await store.list();
  if (summary === undefined) throw new Error('nothing ran');
  return { run: summary.run, events: await eventsOf(store, summary.run) };
}

test.each(HELD)('$name, $agent in turn $turn: no call is made twice', async (held) => {
  const story = stories(1).find(({ name }) => name === held.name);
  if (story === undefined) throw new Error(`no example ${held.name}`);
  const { folder, agent, input } = hurried(story);
  folders.push(join(folder, '..'));
  const storeAt = (): string => {
    const store = mkdtempSync(join(tmpdir(), 'cadre-crash-flows-'));
    folders.push(store);
    return store;
  };
  const runIn = (store: string): readonly string[] => ['run', join(folder, agent), input, '--json', '--store', store];
  const quiet = storeAt();
  await cli(runIn(quiet));
  const whole = (await onlyRun(quiet)).events;

  const script = join(folder, `${held.name}.script.yaml`);
  const text = readFileSync(script, 'utf8');
  const hold = `\n  ${held.agent}:\n    - { when: { turn: ${held.turn} }, answer: Never., delay: 1h }`;
  writeFileSync(script, text.replace(`\n  ${held.agent}:`, hold));
  const store = storeAt();
  await killedAtWork(runIn(store), held, 0);
  const { run } = await onlyRun(store);
  const resume = ['resume', run, '--json', '--store', store];
  for (let kill = 1; kill < KILLS; kill++) await killedAtWork(resume, held, (await onlyRun(store)).events.length);
  writeFileSync(script, text);
  const { code, stderr } = await cli(resume);
  expect(code, stderr).toBe(0);

  const { events } = await onlyRun(store);
  expect(outcomeOf(events)).toEqual(outcomeOf(whole));
  expect(shapeOf(events)).toEqual(shapeOf(whole));
  const { finished } = modelCalls(whole);
  expect(modelCalls(events)).toEqual({ finished, cutOff: KILLS * held.atWork, repeated: 0 });
  const cadre = await pinnedCadre(startOf(events), openStore(store));
  const again = await replay(events, cadre, services);
  expect(again).toEqual({ kind: 'identical', events: events.length, ended: true });
});
