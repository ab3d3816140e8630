import { expect, test } from 'vitest';
import { SharedWork } from './shared-work.ts';

/** Work that ends when it is told to stop, or when the test says so. */
function opening() {
  let end = (_value: string): void => {};
  let stopped = false;
  const shared = new SharedWork<string>(
    (signal) =>
      new Promise((resolve, reject) => {
        end = resolve;
        signal.addEventListener('abort', () => {
          stopped = true;
          reject(new Error('given up'));
        });
      }),
  );
  return { shared, end: (value: string) => end(value), isStopped: () => stopped };
}

const stoppable = () => {
  const controller = new AbortController();
  return { signal: controller.signal, stop: () => controller.abort(new Error('enough')) };
};

test('all who wait get the same value', async () => {
  const { shared, end } = opening();
  const [one, other] = [shared.wait(stoppable().signal), shared.wait()];
  end('open');
  expect(await Promise.all([one, other])).toEqual(['open', 'open']);
  expect(shared.isGivenUp).toBe(false);
});

test('one who is stopped goes at once with the reason, and the other still gets the value', async () => {
  const { shared, end, isStopped } = opening();
  const mine = stoppable();
  const [one, other] = [shared.wait(mine.signal), shared.wait(stoppable().signal)];
  mine.stop();
  await expect(one).rejects.toThrow('enough');
  expect(isStopped()).toBe(false);
  end('open');
  expect(await other).toBe('open');
});

test('when the last one has gone the work is told to stop', async () => {
  const { shared, isStopped } = opening();
  const [mine, yours] = [stoppable(), stoppable()];
  const waiting = [shared.wait(mine.signal), shared.wait(yours.signal)];
  mine.stop();
  yours.stop();
  expect((await Promise.allSettled(waiting)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect([isStopped(), shared.isGivenUp]).toEqual([true, true]);
  await expect(shared.result).rejects.toThrow('given up');
});

test('one who comes already stopped does not wait, and work that is over is not given up any more', async () => {
  const { shared, end } = opening();
  const waiting = shared.wait();
  const late = stoppable();
  late.stop();
  await expect(shared.wait(late.signal)).rejects.toThrow('enough');
  end('open');
  expect(await waiting).toBe('open');
  shared.giveUp();
  expect(shared.isGivenUp).toBe(false);
});
