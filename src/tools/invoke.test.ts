import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FaultError, fault } from '../kernel/fault.ts';
import { asRecorded, NOTHING_SECRET } from '../kernel/redacted.ts';
import { invoke } from './invoke.ts';
import { readResultTool } from './read-result.ts';
import type { Tool, ToolContext } from './tool.ts';

const call = { id: '1', name: 'probe', arguments: { x: 1 } };

const probe = (execute: Tool['execute'], repeat: Tool['repeat'] = 'never'): Tool => ({
  spec: { name: 'probe', description: '', parameters: true },
  repeat,
  execute,
});

const context = (signal = new AbortController().signal): ToolContext => ({
  signal,
  callKey: 'key',
  progress: () => {},
  redactor: NOTHING_SECRET,
});

const limits = (over: { timeoutMs?: number; capBytes?: number; keep?: (text: string) => Promise<string> } = {}) => ({
  timeoutMs: 60_000,
  capBytes: 32_768,
  keep: () => Promise.reject(new Error('nothing to keep')),
  ...over,
});

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });

test('text is an ok result, and a result stays what it is', async () => {
  expect(
    await invoke(
      probe(async () => 'fine'),
      call,
      context(),
      limits(),
    ),
  ).toEqual({ status: 'ok', text: 'fine' });
  const refusal = { status: 'error', text: 'no' } as const;
  expect(
    await invoke(
      probe(async () => refusal),
      call,
      context(),
      limits(),
    ),
  ).toEqual(refusal);
});

test('the tool gets its arguments and the key of its call', async () => {
  const echo = probe(async (input, { callKey }) => JSON.stringify([input, callKey]));
  expect((await invoke(echo, call, context(), limits())).text).toBe('[{"x":1},"key"]');
});

test.each([
  ['a rejection', () => Promise.reject(new Error('disk on fire')), 'disk on fire'],
  ['a fault', () => Promise.reject(new FaultError(fault('tool/failed', 'no such file'))), 'no such file'],
  ['an error without words', () => Promise.reject(new TypeError()), 'TypeError'],
  // oxlint-disable-next-line prefer-promise-reject-errors -- tools are other people's code
  ['a string', () => Promise.reject('plain'), 'plain'],
])('%s is an error result with its message', async (_, execute, text) => {
  expect(await invoke(probe(execute), call, context(), limits())).toEqual({ status: 'error', text });
});

test('a throw before the first await is an error result too', async () => {
  const broken = probe(() => {
    throw new Error('at once');
  });
  expect(await invoke(broken, call, context(), limits())).toEqual({ status: 'error', text: 'at once' });
});

test('a tool that is late gets its signal, and the model an error that says so', async () => {
  let signal: AbortSignal | undefined;
  const slow = probe((_, given) => {
    signal = given.signal;
    return untilAborted(given.signal);
  });
  const result = await invoke(slow, call, context(), limits({ timeoutMs: 5 }));
  expect(result.status).toBe('error');
  expect(result.text).toContain('probe did not answer within 5 ms');
  expect(result.text).toContain('find out before you call it again');
  expect(signal?.aborted).toBe(true);
});

test('a tool that ignores its signal does not keep anybody waiting', async () => {
  const deaf = probe(() => new Promise<string>(() => {}), 'safe');
  expect((await invoke(deaf, call, context(), limits({ timeoutMs: 5 }))).text).toContain('try once more');
});

test('an abort reaches the tool and is thrown as cancelled', async () => {
  const controller = new AbortController();
  let seen: AbortSignal | undefined;
  const running = invoke(
    probe((_, given) => {
      seen = given.signal;
      return untilAborted(given.signal);
    }),
    call,
    context(controller.signal),
    limits(),
  );
  controller.abort();
  await expect(running).rejects.toMatchObject({ fault: { code: 'cancelled' } });
  expect(seen?.aborted).toBe(true);
});

test('an abort that carries a fault throws that fault', async () => {
  const controller = new AbortController();
  controller.abort(new FaultError(fault('timeout', 'the session took too long')));
  await expect(
    invoke(
      probe(async () => ''),
      call,
      context(controller.signal),
      limits(),
    ),
  ).rejects.toMatchObject({
    fault: { code: 'timeout' },
  });
});

test('a tool is not started after the abort', async () => {
  let started = false;
  const watch = probe(async () => {
    started = true;
    return '';
  });
  await expect(invoke(watch, call, context(AbortSignal.abort()), limits())).rejects.toThrow('cancelled');
  expect(started).toBe(false);
});

test('progress passes while the call is open and not after', async () => {
  const lines: string[] = [];
  let late: ((text: string) => void) | undefined;
  const chatty = probe(async (_, { progress }) => {
    late = progress;
    progress('half');
    return 'whole';
  });
  await invoke(chatty, call, { ...context(), progress: (text) => lines.push(text) }, limits());
  late?.('too late');
  expect(lines).toEqual(['half']);
});

test('a result of exactly the cap stays whole', async () => {
  const text = 'ä'.repeat(50);
  expect(
    await invoke(
      probe(async () => text),
      call,
      context(),
      limits({ capBytes: 100 }),
    ),
  ).toEqual({ status: 'ok', text });
});

test('a result over the cap is kept whole and becomes head, note and tail', async () => {
  const text = `begin ${'x'.repeat(100_000)} end`;
  const kept: string[] = [];
  const keep = async (whole: string) => {
    kept.push(whole);
    return 'r1';
  };
  const result = await invoke(
    probe(async () => ({ status: 'error', text })),
    call,
    context(),
    limits({ keep }),
  );
  expect(kept).toEqual([text]);
  expect(result).toMatchObject({ status: 'error', handle: 'r1', bytes: 100_010 });
  expect(result.text).toMatch(/^begin x+\n\n\[\d+ of 100010 bytes are left out here\..*"r1".*\]\n\nx+ end$/);
  expect(Buffer.byteLength(result.text)).toBeLessThanOrEqual(32_768);
});

test('a store that fails is not the fault of the tool', async () => {
  const keep = () => Promise.reject(new FaultError(fault('journal/write', 'disk full')));
  await expect(
    invoke(
      probe(async () => 'x'.repeat(40_000)),
      call,
      context(),
      limits({ keep }),
    ),
  ).rejects.toMatchObject({
    fault: { code: 'journal/write' },
  });
});

test('a capped result of any text is within the cap, splits no character, and reads back whole', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: 'grapheme', minLength: 300, maxLength: 3000 }),
      fc.integer({ min: 400, max: 900 }),
      fc.integer({ min: 1, max: 500 }),
      async (text, capBytes, length) => {
        const result = await invoke(
          probe(async () => text),
          call,
          context(),
          limits({ capBytes, keep: async () => 'h' }),
        );
        if (result.handle === undefined) {
          expect(result.text).toBe(text);
          return;
        }
        expect(Buffer.byteLength(result.text)).toBeLessThanOrEqual(capBytes);
        if (!text.includes('\ufffd')) expect(result.text).not.toContain('\ufffd');
        expect(await readBack(text, length)).toBe(text);
      },
    ),
    { numRuns: 60 },
  );
});

async function readBack(text: string, length: number): Promise<string> {
  const reader = readResultTool(async () => ({ text: asRecorded(text) }));
  let whole = '';
  for (let from: number | undefined = 0; from !== undefined; ) {
    const output = (await reader.execute({ handle: 'h', from, length }, context())) as string;
    whole += output.slice(output.indexOf('\n\n') + 2);
    const next: string | undefined = /^Bytes \d+ to \d+ of \d+\. Read on with from: (\d+)\./.exec(output)?.[1];
    from = next === undefined ? undefined : Number(next);
  }
  return whole;
}
