// Model calls counted where they are paid for: at a real server. A call whose reply is in the journal never reaches
// it again, however often the process is killed.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { RunEvent } from '../../src/journal/event.ts';
import { dice, tell } from './support/figures.ts';
import { type Asked, type ModelServer, modelServer, type ServedReply } from './support/model-server.ts';
import { eventsOf, killedOften, modelCalls, openStore, outcomeOf } from './support/victim.ts';

const ROUNDS = Number(process.env['CADRE_CRASH_ROUNDS'] ?? 3);
const KILLS_EACH = 8;

const figures = { kills: 0, requests: 0, finished: 0, cutOff: 0, again: 0 };

afterAll(() =>
  tell('Calls counted at a model server', [
    ['kills survived', figures.kills],
    ['requests that reached the server', figures.requests],
    ['model calls finished', figures.finished],
    ['model calls cut off by a kill, and made again', figures.cutOff],
    ['finished model calls repeated', figures.again],
  ]),
);

/** A lead that looks at a file, asks two others at the same time, and answers. */
function answer({ agent, turn }: Asked): ServedReply {
  if (agent !== 'lead')
    return turn === 1 ? { calls: [['list_files', { path: '.' }]] } : { text: `the word of ${agent}` };
  if (turn === 1) return { calls: [['read_file', { path: 'facts.txt' }]] };
  if (turn > 2) return { text: 'All is well at the light, both of them say so.' };
  const given = { input: 'Look around.', reason: 'two see more than one' };
  return {
    calls: [
      ['agent__north', given],
      ['agent__south', given],
    ],
  };
}

function writeCadre(folder: string, { baseUrl }: ModelServer): void {
  const agent = (name: string, keys: string): void =>
    writeFileSync(join(folder, `${name}.md`), `---\ndescription: The ${name}.\n${keys}\n---\nYou are ${name}.\n`);
  agent('lead', 'tools: [files]\nagents: [north, south]');
  agent('north', 'tools: [files]');
  agent('south', 'tools: [files]');
  writeFileSync(join(folder, 'facts.txt'), 'The light was lit at six.\n');
  const provider = `near: { kind: openai-compatible, baseUrl: "${baseUrl}", apiKey: "none" }`;
  writeFileSync(join(folder, 'cadre.yaml'), `providers:\n  ${provider}\ndefaults:\n  models: [near/m]\n`);
}

/** The model calls whose replies are recorded, by agent and turn: each agent has one session here. */
function recorded(events: readonly RunEvent[]): ReadonlySet<string> {
  const asked = new Map<string, string>();
  const ended = new Set<string>();
  for (const event of events) {
    if (event.type === 'op-start' && event.op.kind === 'model') asked.set(event.path, keyOf(event.op));
    if (event.type === 'op-end' && event.kind === 'model') ended.add(asked.get(event.path) ?? '');
  }
  return ended;
}

const keyOf = ({ agent, turn }: Asked): string => `${agent}#${turn}`;

test('a reply that the journal holds is never asked for again', { timeout: 60_000 * ROUNDS }, async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const folder = mkdtempSync(join(tmpdir(), 'cadre-crash-http-'));
    const store = join(folder, '.cadre');
    let again = 0;
    const server = await modelServer(answer, async (asked) => {
      const runs = openStore(store);
      const [run] = await runs.list({ limit: 1 });
      if (run !== undefined && recorded(await eventsOf(runs, run.run)).has(keyOf(asked))) again++;
    });
    writeCadre(folder, server);
    try {
      const roll = dice(round + 17);
      const command = ['run', join(folder, 'lead.md'), 'How is the light?', '--json', '--store', store];
      const victim = await killedOften(command, store, (kill) =>
        kill >= KILLS_EACH ? undefined : roll(2) === 0 ? { ms: 100 + roll(500) } : { events: roll(6) },
      );
      expect(outcomeOf(victim.events)).toMatchObject({ kind: 'answered', ...answer({ agent: 'lead', turn: 3 }) });
      const { finished, cutOff, repeated } = modelCalls(victim.events);
      expect({ finished, repeated, again }).toEqual({ finished: 7, repeated: 0, again: 0 });
      // A call that was begun may not have got as far as the server; nothing reaches it that was not begun.
      expect(server.requests.length).toBeLessThanOrEqual(finished + cutOff);
      expect(new Set(server.requests.map(keyOf)).size).toBe(7);
      figures.kills += victim.kills;
      figures.requests += server.requests.length;
      figures.finished += finished;
      figures.cutOff += cutOff;
      figures.again += again;
    } finally {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    }
  }
});
