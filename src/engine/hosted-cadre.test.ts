import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { CadreAssembly } from '../run/resources.ts';
import { sharedAssembly } from './hosted-cadre.ts';

function closing(): { readonly assembly: CadreAssembly; closed(): number } {
  let count = 0;
  const close = async (): Promise<void> => void count++;
  return { assembly: { close } as unknown as CadreAssembly, closed: () => count };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('what nothing uses any more is closed once', () => {
  const { assembly, closed } = closing();
  const shared = sharedAssembly(assembly);
  const [first, second] = [shared.use(), shared.use()];
  void shared.retire();
  first();
  expect(closed()).toBe(0);
  second();
  expect([closed(), shared.isClosed]).toEqual([1, true]);
});

test('what is kept for the next run is closed when none came in that time', () => {
  const { assembly, closed } = closing();
  const shared = sharedAssembly(assembly, () => {}, 60_000);
  const first = shared.use();
  void shared.retire();
  first();
  vi.advanceTimersByTime(59_000);
  const second = shared.use();
  vi.advanceTimersByTime(120_000);
  expect(closed()).toBe(0);
  second();
  vi.advanceTimersByTime(60_000);
  expect([closed(), shared.isClosed]).toEqual([1, true]);
});

test('closing does not wait for the time that it would be kept', async () => {
  const { assembly, closed } = closing();
  const shared = sharedAssembly(assembly, () => {}, 60_000);
  shared.use()();
  void shared.retire();
  await shared.close();
  vi.advanceTimersByTime(120_000);
  expect(closed()).toBe(1);
});
