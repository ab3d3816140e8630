// Workers of a real Restate where one thing fails in a way that kill -9 of a worker does not show: a worker that hangs,
// messages and verdicts to a run whose workers and server die, and an end that nobody is there to write.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { loadCadre } from '../../src/definition/load.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { replay } from '../../src/engine/history/replay.ts';
import { openEngine } from '../../src/engine/open.ts';
import type { RunEvent, RunId } from '../../src/journal/event.ts';
import type { Mail } from '../../src/kernel/effect.ts';
import { services } from '../../src/run/services.ts';
import { noRestate } from '../support/restate.ts';
import { dice, tell } from './support/figures.ts';
import { type ModelServer, modelServer } from './support/model-server.ts';
import { type RestateFleet, restateFleet } from './support/restate-fleet.ts';
import { eventsOf, modelCalls } from './support/victim.ts';

const ASKED = process.env['CADRE_CRASH_ROUNDS'];
const ROUNDS = Number(ASKED ?? 1);
const MESSAGES = 20 * ROUNDS;
const TURNS = 5;
/** Longer than Restate waits for a silent attempt, and for its end. */
const LONG_MS = 130_000;

const figures = { hung: 0, zombieEvents: 0, served: 0, recorded: 0, repeated: 0, verdicts: 0, cancels: 0, kills: 0 };
const messages = { accepted: 0, lost: 0, twice: 0, unheard: 0, heardTwice: 0, kills: 0, crashes: 0 };

const SCRIPT = [
  'agents:',
  '  listener:',
  '    - {when: {last: "that is all"}, answer: "I heard all of it."}',
  '    - {call: {list_files: {}}, delay: 15ms, repeat: true}',
  '  clerk: [{call: {list_files: {}}}, {when: {tool: list_files}, answer: "It was allowed."}]',
  `  sleeper: [{delay: ${LONG_MS}ms, answer: "Good morning."}]`,
].join('\n');

describe.skipIf(noRestate !== undefined)(`a real Restate${noRestate === undefined ? '' : ` (${noRestate})`}`, () => {
  let fleet: RestateFleet;
  let model: ModelServer;
  let folder: string;
  let front: Engine;

  beforeAll(async () => {
    fleet = await restateFleet();
    model = await modelServer(({ turn }) =>
      turn < TURNS ? { calls: [['list_files', {}]] } : { text: 'It is done .' },
    );
    folder = mkdtempSync(join(tmpdir(), 'cadre-restate-failures-'));
    const files = {
      'cadre.yaml': [
        'providers:',
        `  real: {kind: openai-compatible, baseUrl: "${model.baseUrl}", apiKey: none}`,
        '  demo: {kind: scripted, script: ./demo.script.yaml}',
        'limits: {maxTurns: 10000}',
      ].join('\n'),
      'demo.script.yaml': SCRIPT,
      'asker.md': '---\ndescription: Asks.\nmodels: [real/m]\ntools: [files]\n---\nYou are asker.\n',
      'listener.md':
        '---\ndescription: Listens.\nmodels: [demo/any]\ntools: [files]\nmaxTurns: 10000\nstuck: off\n---\nListen.\n',
      'clerk.md':
        '---\ndescription: Waits.\nmodels: [demo/any]\ntools: [files]\napprove: [list_files]\n---\nYou are clerk.\n',
      'sleeper.md': '---\ndescription: Sleeps.\nmodels: [demo/any]\n---\nSleep.\n',
    };
    for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
    front = await openEngine(await loadCadre(folder), { store: fleet.store, warn() {} });
  });
  afterEach(() => fleet.killAll());
  afterAll(async () => {
    await front.close();
    await fleet.close();
    await model.close();
    rmSync(folder, { recursive: true, force: true });
    tell('Restate: workers that hang, and runs that nobody works on', [
      ['workers stopped with SIGSTOP, and woken after another had their run', figures.hung],
      ['events of a worker that had lost its run, in the record', figures.zombieEvents],
      ['model calls that ended at the model', figures.served],
      ['of these, recorded', figures.recorded],
      ['finished model calls repeated', figures.repeated],
      ['verdicts given while a worker died or none was there', figures.verdicts],
      ['cancels given while a worker died or none was there', figures.cancels],
      ['kills survived', figures.kills],
    ]);
    tell('Restate: messages to a run, under kill -9 of its workers and of the server', [
      ['messages accepted', messages.accepted],
      ['accepted messages lost', messages.lost],
      ['messages taken twice', messages.twice],
      ['messages taken and not heard', messages.unheard],
      ['messages heard twice', messages.heardTwice],
      ['kills survived', messages.kills],
      ['crashes of the Restate server survived', messages.crashes],
    ]);
  });

  const begin = (place: number) => fleet.begin(place, folder);
  const start = (agent: string): Promise<RunId> => front.start({ agent, input: { text: 'go' } });

  async function until(run: RunId, suits: (event: RunEvent) => boolean): Promise<RunEvent> {
    for await (const event of front.events(run)) if (suits(event)) return event;
    throw new Error('it ended');
  }
  const question = async (run: RunId): Promise<string> => {
    const found = await until(run, (event) => event.type === 'op-start' && event.op.kind === 'approval');
    return (found as Extract<RunEvent, { type: 'op-start' }>).path;
  };
  const replayed = async (run: RunId): Promise<readonly RunEvent[]> => {
    const events = await eventsOf(fleet.store, run);
    expect(await replay(events, await loadCadre(folder), services)).toMatchObject({ kind: 'identical', ended: true });
    return events;
  };

  test.each(Array.from({ length: ROUNDS }, (_, round) => round))(
    'a worker that hangs loses its run to another, and writes nothing when it wakes up (%i)',
    { timeout: 120_000 },
    async (round) => {
      const before = model.requests.length;
      await begin(0);
      await fleet.well(1);
      const run = await start('asker');
      let seen = 0;
      await until(run, (event) => event.type === 'op-end' && event.kind === 'model' && ++seen > round % (TURNS - 1));
      const zombie = fleet.at(0);
      zombie?.child.kill('SIGSTOP');
      await begin(1);
      expect(await front.outcome(run)).toMatchObject({ kind: 'answered', text: 'It is done .' });
      const ended = await replayed(run);
      zombie?.child.kill('SIGCONT');
      await fleet.kill(0, 'SIGTERM');
      const after = await eventsOf(fleet.store, run);
      figures.zombieEvents += after.length - ended.length;
      expect(after).toEqual(ended);
      const { finished, repeated } = modelCalls(after);
      expect({ finished, repeated }).toEqual({ finished: TURNS, repeated: 0 });
      figures.served += model.requests.length - before;
      figures.recorded += finished;
      figures.repeated += repeated;
      figures.hung++;
    },
  );

  test.each(['verdict', 'cancel'] as const)(
    'a %s counts before, during and after a crash, and while nobody works',
    { timeout: 120_000 * ROUNDS },
    async (kind) => {
      for (let round = 0; round < ROUNDS; round++) {
        for (const moment of ['before', 'during', 'after'] as const) {
          await Promise.all([begin(0), begin(1)]);
          await fleet.well(2);
          const run = await start('clerk');
          const op = await question(run);
          const say = () =>
            front.control(
              run,
              kind === 'verdict' ? { id: 'v', kind, op, approved: true } : { id: 'c', kind, reason: 'no' },
            );
          const killing = async (): Promise<void> => {
            await fleet.killAll();
            figures.kills += 2;
          };
          if (moment === 'before') {
            await say();
            await killing();
          } else if (moment === 'during') await Promise.all([killing(), say()]);
          else {
            await killing();
            expect(await say()).toBe('waits');
          }
          await begin(0);
          const outcome = await front.outcome(run);
          if (kind === 'verdict') expect(outcome).toMatchObject({ kind: 'answered', text: 'It was allowed.' });
          else expect(outcome).toMatchObject({ kind: 'cancelled' });
          const taken = (await replayed(run)).filter((event) => event.type === 'control');
          expect(taken).toHaveLength(1);
          figures[kind === 'verdict' ? 'verdicts' : 'cancels']++;
          await fleet.killAll();
        }
      }
    },
  );

  test('a message to a run is taken once and heard once, whatever dies', {
    timeout: 120_000 * ROUNDS,
  }, async () => {
    const roll = dice(42);
    await begin(0);
    await fleet.well(1);
    const run = await start('listener');
    let isSending = true;
    const disturbing = (async () => {
      while (isSending) {
        await setTimeout(200 + roll(700));
        if (messages.kills % 4 === 1) {
          await fleet.server.crash();
          await fleet.server.start();
          messages.crashes++;
        }
        const place = messages.kills % 2;
        await fleet.kill(place);
        messages.kills++;
        await begin(1 - place);
      }
    })();
    const accepted: string[] = [];
    for (let number = 0; number < MESSAGES; number++) {
      const id = `m${number}`;
      await front.control(run, { id, kind: 'send', text: `message <${number}>` });
      accepted.push(id);
      await setTimeout(roll(120));
    }
    isSending = false;
    await disturbing;
    await front.control(run, { id: 'last', kind: 'send', text: 'that is all' });
    expect(await front.outcome(run)).toMatchObject({ kind: 'answered', text: 'I heard all of it.' });
    const events = await replayed(run);
    const taken = events.filter((event) => event.type === 'control').map(({ message }) => message.id);
    const heard = heardIn(events);
    messages.accepted += accepted.length + 1;
    messages.lost += ['last', ...accepted].filter((id) => !taken.includes(id)).length;
    messages.twice += taken.length - new Set(taken).size;
    messages.heardTwice += heard.length - new Set(heard).size;
    messages.unheard += accepted.filter((id) => !heard.includes(`message <${id.slice(1)}>`)).length;
    expect(messages).toMatchObject({ lost: 0, twice: 0, unheard: 0, heardTwice: 0 });
  });

  test.skipIf(ASKED === undefined)(
    'a call may last longer than Restate waits for a silent attempt (only in npm run reliability)',
    { timeout: 3 * LONG_MS },
    async () => {
      await begin(0);
      await fleet.well(1);
      const run = await start('sleeper');
      expect(await front.outcome(run)).toMatchObject({ kind: 'answered', text: 'Good morning.' });
      expect(modelCalls(await replayed(run))).toEqual({ finished: 1, cutOff: 0, repeated: 0 });
    },
  );
});

const heardIn = (events: readonly RunEvent[]): readonly string[] =>
  events.flatMap((event) =>
    event.type === 'op' && event.kind === 'take'
      ? (event.value as Mail).messages.map(({ text }) => text).filter((text) => text.startsWith('message <'))
      : [],
  );
