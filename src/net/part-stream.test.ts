import { expect, test } from 'vitest';
import { PartDecoder, PartStream, PartTransform } from './part-stream.ts';

/** Gives numbers, and notes how many were asked for and why it was cancelled. */
function counting(most: number) {
  const seen: { pulled: number; cancelled?: unknown } = { pulled: 0 };
  const stream = new PartStream<number>({
    pull(controller) {
      if (seen.pulled === most) controller.close();
      else controller.enqueue(++seen.pulled);
    },
    cancel(why) {
      seen.cancelled = why;
    },
  });
  return { stream, seen };
}

async function all<Part>(stream: AsyncIterable<Part>): Promise<readonly Part[]> {
  const parts: Part[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

/** As the SDK has them: a stage that gives several parts for one, none for another, and some at its beginning and end. */
const stage = () =>
  new PartTransform<number, string>({
    start: (controller) => controller.enqueue('begin'),
    async transform(part, controller) {
      await Promise.resolve();
      for (let count = 0; count < part % 3; count++) controller.enqueue(`${part}.${count}`);
    },
    flush: (controller) => controller.enqueue('end'),
  });

test('parts pass stages in order, also where a stage makes none or several of one', async () => {
  const doubled = new PartTransform<string, string>({ transform: (part, to) => to.enqueue(`<${part}>`) });
  const parts = await all(counting(4).stream.pipeThrough(stage()).pipeThrough(doubled));
  expect(parts).toEqual(['<begin>', '<1.0>', '<2.0>', '<2.1>', '<4.0>', '<end>']);
});

test('they give the same as the streams of Node, which may stand behind them', async () => {
  const native = new TransformStream<string, string>({ transform: (part, to) => to.enqueue(`<${part}>`) });
  const parts = await all(counting(4).stream.pipeThrough(stage()).pipeThrough(native));
  expect(parts).toEqual(['<begin>', '<1.0>', '<2.0>', '<2.1>', '<4.0>', '<end>']);
});

test('nothing is asked for before somebody reads, and then no more than is read', async () => {
  const { stream, seen } = counting(100);
  const reader = stream.pipeThrough(new PartTransform<number, number>()).getReader();
  expect(seen.pulled).toBe(0);
  expect(await reader.read()).toEqual({ done: false, value: 1 });
  expect(await reader.read()).toEqual({ done: false, value: 2 });
  expect(seen.pulled).toBe(2);
});

test('reads that are asked for at once are answered in order, also beyond the end', async () => {
  const reader = counting(2).stream.getReader();
  const steps = await Promise.all([reader.read(), reader.read(), reader.read(), reader.read()]);
  expect(steps.map(({ value }) => value)).toEqual([1, 2, undefined, undefined]);
});

test('a stage that fails tells its reader after what came before, and cancels what is before it', async () => {
  const { stream, seen } = counting(10);
  const why = new Error('no three');
  const fails = new PartTransform<number, number>({
    transform(part, controller) {
      if (part === 3) throw why;
      controller.enqueue(part);
    },
  });
  const reader = stream.pipeThrough(fails).pipeThrough(new PartTransform<number, number>()).getReader();
  expect([await reader.read(), await reader.read()].map(({ value }) => value)).toEqual([1, 2]);
  await expect(reader.read()).rejects.toBe(why);
  await expect(reader.read()).rejects.toBe(why);
  expect(seen.cancelled).toBe(why);
});

test('a source that fails, by an error or by its controller, fails the reader at the other end', async () => {
  const why = new Error('gone');
  const ways = [
    () => Promise.reject(why),
    (controller: { error(thrown: unknown): void }) => controller.error(why),
  ] as const;
  for (const pull of ways) {
    const reader = new PartStream<number>({ pull }).pipeThrough(stage()).getReader();
    expect((await reader.read()).value).toBe('begin');
    await expect(reader.read()).rejects.toBe(why);
  }
});

test('a reader that cancels reaches the source through all stages, and gets nothing more', async () => {
  const { stream, seen } = counting(10);
  const reader = stream.pipeThrough(stage()).pipeThrough(new PartTransform<string, string>()).getReader();
  await reader.read();
  await reader.cancel('enough');
  expect(seen.cancelled).toBe('enough');
  expect(await reader.read()).toEqual({ done: true, value: undefined });
});

test('two branches each get everything; the source is cancelled when both have left', async () => {
  const whole = counting(3).stream.tee();
  expect(await Promise.all(whole.map(all))).toEqual([
    [1, 2, 3],
    [1, 2, 3],
  ]);
  const { stream, seen } = counting(10);
  const [early, late] = stream.tee();
  const first = early.getReader();
  await first.read();
  await first.read();
  await first.cancel('seen');
  expect(seen.cancelled).toBeUndefined();
  const second = late.getReader();
  expect([await second.read(), await second.read(), await second.read()].map(({ value }) => value)).toEqual([1, 2, 3]);
  await second.cancel('done');
  expect(seen.cancelled).toBe('done');
});

test('a source may push parts on its own', async () => {
  const pushed = new PartStream<string>({
    async start(controller) {
      for (const word of ['a', 'b']) {
        await new Promise((resolve) => setImmediate(resolve));
        controller.enqueue(word);
      }
      controller.close();
    },
  });
  expect(await all(pushed)).toEqual(['a', 'b']);
});

test('a character that is cut in two is whole after decoding, and half a character at the end is marked', async () => {
  const bytes = Buffer.from('für');
  const parts = [bytes.subarray(0, 2), bytes.subarray(2), Buffer.from([0xc3])];
  const stream = new PartStream<Uint8Array>({
    pull(controller) {
      const part = parts.shift();
      if (part === undefined) controller.close();
      else controller.enqueue(part);
    },
  });
  expect((await all(stream.pipeThrough(new PartDecoder()))).join('')).toBe('für\ufffd');
});

test('the SDK has these streams, in the tests as in the build', async () => {
  const { createEventSourceResponseHandler } = await import('@ai-sdk/provider-utils');
  const { z } = await import('zod/v4');
  const handler = createEventSourceResponseHandler(z.object({ a: z.number() }));
  const response = new Response('data: {"a":1}\n\ndata: [DONE]\n\n');
  const { value } = await handler({ response, url: 'http://localhost', requestBodyValues: {} });
  expect(value).toBeInstanceOf(PartStream);
});
