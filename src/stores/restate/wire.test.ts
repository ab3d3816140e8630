import { expect, test } from 'vitest';
import { faultCode, modelEnd, modelStart, runEnd, runStart, wholeRun } from '../../journal/store.conformance.ts';
import { restateAddress } from './address.ts';
import { eventsIn } from './events.ts';
import { Batcher, batchText, readBatch } from './wire.ts';

test('a batch is read back as it was made, with the summary after it', () => {
  const events = wholeRun('r1');
  const [batch] = new Batcher('r1', []).batches(events);
  if (batch === undefined) throw new Error('no batch');
  const read = readBatch(batchText(batch));
  expect(read).toEqual(batch);
  expect(read.head).toMatchObject({ from: 0, count: 4, ended: true });
  expect(JSON.parse(read.summary)).toMatchObject({ run: 'r1', events: 4, outcome: 'answered' });
  expect(eventsIn('r1', read.body)).toEqual(events);
});

test('a writer that goes on counts from what is recorded', () => {
  const batcher = new Batcher('r1', wholeRun('r1').slice(0, 2));
  const [batch] = batcher.batches([modelEnd(2, '0.0', 'hi', 0.25), runEnd(3)]);
  expect(batch?.head).toMatchObject({ from: 2, count: 2, ended: true });
  expect(JSON.parse(batch?.summary ?? '')).toMatchObject({ events: 4, calls: 1, usd: 0.25 });
});

test('events beyond the size of a message are cut into several batches, in order', () => {
  const events = [runStart('r1'), ...[1, 2, 3].map((seq) => modelStart(seq, `0.${seq}`, 'x'.repeat(500)))];
  const batches = new Batcher('r1', [], 1000).batches(events);
  expect(batches.length).toBeGreaterThan(1);
  expect(batches.flatMap(({ body }) => eventsIn('r1', body))).toEqual(events);
  expect(batches.map(({ head }) => head.from)).toEqual([0, ...batches.slice(1).map(({ head }) => head.from)]);
});

test('one event that is more than a message may hold is refused before anything is written', () => {
  const batcher = new Batcher('r1', [], 1000);
  const events = [runStart('r1'), modelStart(1, '0.0', 'x'.repeat(2000))];
  expect(() => batcher.batches(events)).toThrow(expect.objectContaining(faultCode('journal/write').sample));
  expect(() => batcher.batches(events)).toThrow('Send less, or keep the runs in a folder or in Postgres.');
  expect(batcher.next).toBe(0);
});

test('the end of a run is known by the type of an event, not by a text that looks like it', () => {
  const [batch] = new Batcher('r1', []).batches([runStart('r1', '{"type":"run-end"}')]);
  expect(batch?.head).not.toHaveProperty('ended');
});

test('an address names the ports of the ingress and of the admin API', () => {
  expect(restateAddress('restate://host')).toEqual({
    shown: 'restate://host:8080',
    ingress: 'http://host:8080',
    admin: 'http://host:9070',
  });
  expect(restateAddress('restate://10.0.0.1:80?admin=81').admin).toBe('http://10.0.0.1:81');
  for (const wrong of ['restate://', 'restate://a/b', 'restate://a?admin=x', 'restate://u:p@a', 'restate://a?more=1'])
    expect(() => restateAddress(wrong)).toThrow('restate://host:8080?admin=9070');
});
