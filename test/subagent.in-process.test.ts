import { describe, expect, test } from 'vitest';
import { readAll } from '../src/engine/pinned.ts';
import { memoryStore } from '../src/stores/memory.ts';
import { subagentConformance } from './subagent.conformance.ts';
import { brokenOff } from './support/cadre.ts';
import { open, type Story, tell, writeStory } from './support/subagent.ts';

describe('subagent in this process', () => {
  subagentConformance({ runner: 'in-process', worker: async () => undefined });

  test('broken off at every event, it resumes to the same output and repeats no finished call', async () => {
    const story: Story = {
      input: { task: 'Count.', files: ['a.txt', 'b.txt'] },
      files: { 'a.txt': 'one', 'b.txt': 'two' },
      helper: [
        { calls: [{ read_file: { path: 'a.txt' } }, { list_files: {} }] },
        { report: { summary: 'two', artifacts: [{ kind: 'path', value: 'a.txt' }] } },
      ],
    };
    const folder = writeStory(story, 'in-process');
    const first = await open(folder, undefined);
    const handle = await first.start();
    const whole = await handle.outcome();
    const events = await readAll(handle.run, first.store);
    const finished = (of: typeof events) => of.filter(({ type }) => type === 'op-end').length;
    expect(finished(events)).toBeGreaterThan(8);
    for (let count = 1; count < events.length; count++) {
      const store = await brokenOff(events, count, handle.run);
      const again = await open(folder, undefined, store);
      const outcome = await (await again.resume(handle.run)).outcome();
      const resumed = await readAll(handle.run, store);
      const ends = resumed.flatMap((event) => (event.type === 'op-end' ? event.path : []));
      expect(new Set(ends).size).toBe(ends.length);
      expect(outcome.kind).toBe('answered');
      const clocks = events.slice(0, count).filter((event) => event.type === 'op' && event.kind === 'clock').length;
      if (clocks === 2) expect(outcome).toEqual(whole);
      await again.close();
    }
    await first.close();
  });

  test('a cancelled parent takes its helper along', async () => {
    const opened = await open(writeStory({ helper: [{ fault: 'hang' }] }, 'in-process'), undefined, memoryStore());
    const handle = await opened.start();
    handle.watch({
      event: (event) => {
        if (event.type === 'op-start' && event.op.kind === 'model' && event.op.agent === 'parent/subagent') {
          handle.interrupt('cancel', 'Enough.');
        }
      },
    });
    expect((await handle.outcome()).kind).toBe('cancelled');
    await opened.close();
  });

  test('two helpers of one reply work side by side', async () => {
    const { text } = await tell(
      {
        parent: [{ calls: [{ subagent: { task: 'a' } }, { subagent: { task: 'b' } }] }, { answer: '{"both": true}' }],
        helper: [{ answer: 'done' }],
      },
      'in-process',
    );
    expect(text).toContain('both');
  });
});
