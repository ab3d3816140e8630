import { expect, test } from 'vitest';
import { MessageLines, OverCap } from './message-lines.ts';

const line = (id: number, text: string): string =>
  `${JSON.stringify({ jsonrpc: '2.0', id, result: { text, more: 'ä€😀' } })}\n`;

function read(output: Buffer, size: number): readonly unknown[] {
  const lines = new MessageLines();
  const messages: unknown[] = [];
  for (let at = 0; at < output.length; at += size) {
    messages.push(...lines.take(output.subarray(at, at + size), () => messages.push('stray')));
  }
  return messages;
}

test('messages are the same however the output is cut up', () => {
  const output = Buffer.from(
    `hello\n${line(1, 'a')}\n\r\n${line(2, 'x'.repeat(10_000)).replace('\n', '\r\n')}${line(3, 'c')}`,
  );
  const whole = read(output, output.length);
  expect(whole).toHaveLength(4);
  expect(whole[0]).toBe('stray');
  for (const size of [1, 2, 7, 4096]) expect(read(output, size)).toEqual(whole);
});

test('an answer that is none fails the request that it belongs to', () => {
  expect(read(Buffer.from('{"jsonrpc":"2.0","id":7,"result":"text"}\n'), 100)).toEqual([
    'stray',
    expect.objectContaining({ id: 7, error: expect.objectContaining({ code: -32_603 }) as unknown }),
  ]);
});

/** The bytes that are copied while a message of this length comes in, by 1 KiB at a time. */
function copied(kibibytes: number): number {
  let bytes = 0;
  const { copy } = Buffer.prototype;
  Buffer.prototype.copy = function (this: Buffer, ...args: Parameters<typeof copy>) {
    const done = copy.apply(this, args);
    bytes += done;
    return done;
  };
  try {
    const lines = new MessageLines();
    const part = Buffer.alloc(1024, 'x');
    for (let count = 0; count < kibibytes; count++) expect([...lines.take(part, () => {})]).toEqual([]);
  } finally {
    Buffer.prototype.copy = copy;
  }
  return bytes;
}

test('twice the message takes twice the work', () => {
  expect(copied(4096) / copied(2048)).toBeLessThan(2.5);
});

test('a message beyond 16 MiB, one that is too deep, and lines without end are over the cap', () => {
  const lines = new MessageLines();
  const take = (text: string) => [...lines.take(Buffer.from(text), () => {})];
  take('x'.repeat(16 * 1024 * 1024));
  expect(() => take('x')).toThrow(OverCap);
  expect(() => read(Buffer.from(`${'['.repeat(201)}${']'.repeat(201)}\n`), 500)).toThrow(
    'nested more than 200 levels deep',
  );
  expect(() => read(Buffer.from('x\n'.repeat(10_001)), 1000)).toThrow('lines that are not messages');
});
