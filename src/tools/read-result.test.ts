import { expect, test } from 'vitest';
import { asRecorded, NOTHING_SECRET } from '../kernel/redacted.ts';
import { readResultTool } from './read-result.ts';

const context = { signal: new AbortController().signal, callKey: 'k', progress: () => {}, redactor: NOTHING_SECRET };
const kept = new Map([
  ['poem', `Ärger ${'.'.repeat(300)} Rose ${'.'.repeat(300)} rose`],
  ['many', 'tick '.repeat(1000)],
  ['long', 'z'.repeat(100_000)],
]);
const reader = readResultTool(async (handle) => {
  const text = kept.get(handle);
  return text === undefined ? undefined : { text: asRecorded(text) };
});
const read = (input: unknown) => reader.execute(input, context);

test('a range begins where it is told, between two characters', async () => {
  expect(await read({ handle: 'poem', from: 1, length: 6 })).toBe(
    'Bytes 0 to 6 of 618. Read on with from: 6.\n\nÄrger',
  );
});

test('one call gives no more than a result may hold', async () => {
  const output = (await read({ handle: 'long', length: 1_000_000 })) as string;
  expect(output).toMatch(/^Bytes 0 to 24576 of 100000\. Read on with from: 24576\./);
});

test('a search gives byte offsets that a range can begin at', async () => {
  const output = (await read({ handle: 'poem', search: 'rose' })) as string;
  const offsets = [...output.matchAll(/^byte (\d+)/gm)].map((match) => Number(match[1]));
  expect(output).toMatch(/^2 places\./);
  for (const from of offsets) expect(await read({ handle: 'poem', from, length: 4 })).toMatch(/\n\nrose$/i);
});

test('a search with capitals is exact, and begins where it is told', async () => {
  expect(await read({ handle: 'poem', search: 'Rose' })).toMatch(/^1 place\./);
  expect(await read({ handle: 'poem', search: 'Rose', from: 400 })).toContain('does not occur in the 218 bytes');
});

test('a search with many places shows some and counts all', async () => {
  const output = (await read({ handle: 'many', search: 'tick' })) as string;
  expect(output).toContain('1000 places. The first 40 are shown');
  expect(output.split('\n')).toHaveLength(41);
});

test('an unknown handle and a range beyond the end say what would be right', async () => {
  await expect(read({ handle: 'pome' })).rejects.toThrow('Nothing is kept as "pome"');
  await expect(read({ handle: 'poem', from: 9999 })).rejects.toThrow('has 618 bytes');
});
