import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { askKey, askLine, INTERRUPT_KEY, type Terminal, timeToRead } from './question.ts';

/** A terminal by hand. `typed` goes to the keyboard; `written` is what the screen got. */
function terminal() {
  const stdin = Object.assign(new PassThrough(), { setRawMode: () => stdin });
  stdin.pause();
  const stderr = new PassThrough();
  let written = '';
  stderr.on('data', (chunk: Buffer) => (written += chunk.toString()));
  const shown = (): Promise<void> =>
    new Promise((resolve) => {
      const look = (): unknown => (written.includes('Sure?') ? resolve() : setImmediate(look));
      look();
    });
  const streams = { stdin, stderr } as unknown as Terminal;
  return { streams, type: (keys: string) => stdin.write(keys), shown, screen: () => written };
}

const { signal } = new AbortController();

const askYesOrNo = (message: string, streams: Terminal, until: AbortSignal) =>
  askKey(
    message,
    [
      { value: 'n', label: 'no' },
      { value: 'y', label: 'yes' },
    ],
    streams,
    until,
  );

test.each(['y', '\r', 'n', 'yyyy\r'])('%j, typed before the question, is no answer to it', async (early) => {
  const { streams, type, shown } = terminal();
  type(early);
  const answer = askYesOrNo('Sure?', streams, signal);
  await shown();
  const first = await Promise.race([answer, new Promise((resolve) => setImmediate(resolve, 'open'))]);
  expect(first).toBe('open');
  type('y');
  expect(await answer).toBe('y');
});

test('keys that follow an answer are kept for no later question', async () => {
  const { streams, type, shown, screen } = terminal();
  const first = askYesOrNo('Sure?', streams, signal);
  await shown();
  type('ny');
  expect(await first).toBe('n');
  type('y');
  const second = askYesOrNo('Really?', streams, signal);
  while (!screen().includes('Really?')) await new Promise((resolve) => setImmediate(resolve));
  type('n');
  expect(await second).toBe('n');
});

test('Ctrl+C is heard before the question is drawn, and after', async () => {
  const early = terminal();
  early.type('\u0003');
  expect(await askYesOrNo('Sure?', early.streams, signal)).toBe(INTERRUPT_KEY);
  const late = terminal();
  const answer = askYesOrNo('Sure?', late.streams, signal);
  await late.shown();
  late.type('\u0003');
  expect(await answer).toBe(INTERRUPT_KEY);
});

test('a run that ends takes its question back, and the keyboard is let go', async () => {
  const { streams, shown } = terminal();
  const ending = new AbortController();
  const answer = askYesOrNo('Sure?', streams, ending.signal);
  await shown();
  ending.abort();
  expect(await answer).toBe(INTERRUPT_KEY);
  expect((streams.stdin as unknown as PassThrough).listenerCount('data')).toBe(0);
});

test('Enter alone is the first answer, and a key that stands for none is passed over', async () => {
  const { streams, type, shown } = terminal();
  const answer = askYesOrNo('Sure?', streams, signal);
  await shown();
  type('x\r');
  expect(await answer).toBe('n');
});

test('a line is what was written up to Enter, and Ctrl+C is no line', async () => {
  const { streams, type, shown } = terminal();
  const answer = askLine('Sure? Say why.', streams, signal);
  await shown();
  type('not today\r');
  expect(await answer).toBe('not today');
  const other = terminal();
  const none = askLine('Sure? Say why.', other.streams, signal);
  await other.shown();
  other.type('half\u0003');
  expect(await none).toBe(INTERRUPT_KEY);
});

test('a key that is pressed twice is no answer to the next question, and Ctrl+C is heard while that is read', async () => {
  const { streams, type, shown } = terminal();
  const read = timeToRead(streams, signal);
  type('y');
  expect(await read).toBeUndefined();
  const answer = askYesOrNo('Sure?', streams, signal);
  await shown();
  type('n');
  expect(await answer).toBe('n');
  const stopped = terminal();
  const reading = timeToRead(stopped.streams, signal);
  stopped.type('y\u0003');
  expect(await reading).toBe(INTERRUPT_KEY);
  const ending = new AbortController();
  const gone = timeToRead(terminal().streams, ending.signal);
  ending.abort();
  expect(await gone).toBeUndefined();
});
