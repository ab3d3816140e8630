// The time in which a reply of a model is known to the model alone, on Restate: a kill within it means that the call is
// made again. One worker has one run, or four at once.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadCadre } from '../../src/definition/load.ts';
import { openEngine } from '../../src/engine/open.ts';
import { agentIn, inputFor } from '../../src/engine/request.ts';
import { nobodyThere } from '../../src/run/approver.ts';
import { restateStore } from '../../src/stores/restate/restate-store.ts';
import { freePort } from '../support/free-port.mjs';
import { noRestate, type RestateServer, restateServer } from '../support/restate.ts';
import { type Figure, tell } from './support/figures.ts';
import { cases, figuresOf, type StampingModel, stampedCadre, stampingModel, timesOf } from './support/record-times.ts';

const ROUNDS = Number(process.env['CADRE_CRASH_ROUNDS'] ?? 1);

const figures: Figure[] = [];

describe.skipIf(noRestate !== undefined)(`a real Restate${noRestate === undefined ? '' : ` (${noRestate})`}`, () => {
  let server: RestateServer;
  let model: StampingModel;
  beforeAll(async () => {
    [server, model] = await Promise.all([restateServer(), stampingModel()]);
  });
  afterAll(async () => {
    model.close();
    await server.close();
    tell('From the last byte of a reply to its record: Restate', figures);
  });

  test.each(cases.map((one) => [one.name, one] as const))(
    'every reply is recorded once, after it was sent: %s',
    { timeout: 60_000 * ROUNDS },
    async (_name, one) => {
      const before = (await model.replies()).length;
      const recorded = await one.on(() => worked(one.atOnce));
      const sent = (await model.replies()).slice(before);
      const times = timesOf(sent, [recorded]);
      expect(times.flat()).toHaveLength(sent.length);
      expect(times.flat().every((ms) => ms > 0)).toBe(true);
      figures.push(
        ...figuresOf(one.name.replace('four processes', 'four runs at once').replace('one process', 'one run'), times),
      );
    },
  );

  /** A worker of its own brings so many runs at once to their end, again and again. */
  async function worked(atOnce: number): ReturnType<typeof stampedCadre>['recorded'] {
    const ports = ['--listen', String(await freePort()), '--health', String(await freePort())];
    const worker = stampedCadre(['worker', model.folder, '--restate', '--register', ...ports], model, server.url);
    await worker.says('takes runs of');
    const cadre = await loadCadre(model.folder);
    const store = restateStore(server.url, { warn() {} });
    const engine = await openEngine(cadre, { store, approve: nobodyThere, warn() {} });
    const input = inputFor(agentIn(cadre, 'lead'), 'Look around.');
    for (let round = 0; round < ROUNDS; round++) {
      const starts = Array.from({ length: atOnce }, () => engine.start({ agent: 'lead', input }));
      await Promise.all(starts.map(async (run) => engine.outcome(await run)));
    }
    await engine.close();
    await store.close();
    worker.child.kill('SIGTERM');
    return worker.recorded;
  }
});
