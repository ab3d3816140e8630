import { expect, test } from 'vitest';
import { replay } from '../src/engine/history/replay.ts';
import { services } from '../src/run/services.ts';
import { tool } from '../src/tools/functions.ts';
import { bench, brokenOff, cadre, call, finish, lastText } from './support/cadre.ts';

const echo = tool<{ text: string }>({
  name: 'echo',
  description: 'Says it again.',
  parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  repeat: 'safe',
  run: ({ text }) => `echo: ${text}`,
});

const solo = cadre({ name: 'solo', tools: ['echo'] });

test('a run with tool calls ends in the final text and is identical on replay', async () => {
  const b = bench(
    solo,
    (request) =>
      request.turn < 3
        ? {
            calls: [
              { name: 'echo', args: { text: `a${request.turn}` } },
              { name: 'echo', args: { text: 'b' } },
            ],
          }
        : `done after ${lastText(request)}`,
    { tools: [echo] },
  );
  const done = await finish(b, { agent: 'solo', input: { text: 'go' } });
  expect(done.outcome).toMatchObject({ kind: 'answered', text: 'done after echo: b' });
  expect(await replay(done.events, solo, services)).toEqual({
    kind: 'identical',
    events: done.events.length,
    ended: true,
  });
});

test('broken off at every event, the run resumes to the same outcome and repeats no finished call', async () => {
  const model = (request: { turn: number }) =>
    request.turn < 3
      ? {
          calls: [
            { name: 'echo', args: { text: 'a' } },
            { name: 'echo', args: { text: 'b' } },
          ],
        }
      : 'done';
  const whole = await finish(bench(solo, model, { tools: [echo] }), { agent: 'solo', input: { text: 'go' } });
  for (let count = 1; count < whole.events.length; count++) {
    const store = await brokenOff(whole.events, count, whole.run);
    const b = bench(solo, model, { store, tools: [echo] });
    const outcome = await (await b.engine.resume(whole.run)).outcome();
    expect(outcome).toEqual(whole.outcome);
    const finished = whole.events
      .slice(0, count)
      .filter((event) => event.type === 'op-end' && event.kind === 'model').length;
    expect(b.calls.length).toBe(3 - finished);
  }
});

test('two exits in one reply are both refused, and the next single one holds', async () => {
  const b = bench(solo, (request) =>
    request.turn === 1
      ? {
          calls: [
            { name: 'final_report', args: { content: 'x' } },
            { name: 'final_report', args: { content: 'y' } },
          ],
        }
      : call('final_report', { content: 'z' }),
  );
  expect((await finish(b, { agent: 'solo', input: { text: 'go' } })).outcome).toMatchObject({
    kind: 'answered',
    text: 'z',
  });
});

test('turns spent without an exit are exhausted, with the last text kept', async () => {
  const b = bench(
    cadre({ name: 'solo', tools: ['echo'], maxTurns: 2 }),
    () => ({ say: 'thinking', calls: [{ name: 'echo', args: { text: 'a' } }] }),
    { tools: [echo] },
  );
  const { outcome } = await finish(b, { agent: 'solo', input: { text: 'go' } });
  expect(outcome).toMatchObject({
    kind: 'exhausted',
    partial: 'thinking',
    fault: { code: 'turns/exhausted', stage: 'solo' },
  });
});
