// The time in which a reply of a model is known to the model alone: a kill within it means that the call is made again.
// Measured on the store of files, on idle and on busy cores.

import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Figure, tell } from './support/figures.ts';
import { cases, figuresOf, type StampingModel, stampedRuns, stampingModel, timesOf } from './support/record-times.ts';

const ROUNDS = Number(process.env['CADRE_CRASH_ROUNDS'] ?? 1);

const figures: Figure[] = [];
let model: StampingModel;

beforeAll(async () => {
  model = await stampingModel();
});
afterAll(() => {
  model.close();
  tell('From the last byte of a reply to its record: files', figures);
});

test.each(cases.map((one) => [one.name, one] as const))(
  'every reply is recorded once, after it was sent: %s',
  { timeout: 60_000 * ROUNDS },
  async (_name, one) => {
    const store = join(model.folder, '.cadre');
    const { sent, recorded } = await one.on(() => stampedRuns(model, store, ROUNDS, one.atOnce));
    const times = timesOf(sent, recorded);
    expect(times.flat()).toHaveLength(sent.length);
    expect(times.flat().every((ms) => ms > 0)).toBe(true);
    figures.push(...figuresOf(one.name, times));
  },
);
