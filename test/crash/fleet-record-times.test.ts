// The time in which a reply of a model is known to the model alone, on Postgres: a kill within it means that the call
// is made again. The database writes to its disk before it answers, as it does where it is used.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshStore, type PostgresServer, postgresServer } from '../support/postgres.ts';
import { type Figure, tell } from './support/figures.ts';
import { cases, figuresOf, type StampingModel, stampedRuns, stampingModel, timesOf } from './support/record-times.ts';

const ROUNDS = Number(process.env['CADRE_CRASH_ROUNDS'] ?? 1);

const figures: Figure[] = [];
let server: PostgresServer;
let model: StampingModel;

beforeAll(async () => {
  [server, model] = await Promise.all([postgresServer([]), stampingModel()]);
});
afterAll(async () => {
  model.close();
  await server.close();
  tell('From the last byte of a reply to its record: Postgres', figures);
});

test.each(cases.map((one) => [one.name, one] as const))(
  'every reply is recorded once, after it was sent: %s',
  { timeout: 60_000 * ROUNDS },
  async (_name, one) => {
    const { sent, recorded } = await one.on(async () =>
      stampedRuns(model, await freshStore(server), ROUNDS, one.atOnce),
    );
    const times = timesOf(sent, recorded);
    expect(times.flat()).toHaveLength(sent.length);
    expect(times.flat().every((ms) => ms > 0)).toBe(true);
    figures.push(...figuresOf(one.name, times));
  },
);
