import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { CadreDefinition } from '../definition/definition.ts';
import type { RunEnvironment } from './environment.ts';
import { LoadedCadre } from './loaded-cadre.ts';

function closing(idleMs = 0): { readonly cadre: LoadedCadre; closed(): number } {
  let count = 0;
  const close = async (): Promise<void> => void count++;
  const environment = { observe: [], openResources: () => ({ close }) } as unknown as RunEnvironment;
  return { cadre: new LoadedCadre({} as CadreDefinition, environment, { idleMs }), closed: () => count };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a cadre that nothing uses any more is closed once', () => {
  const { cadre, closed } = closing();
  const [first, second] = [cadre.use(), cadre.use()];
  void cadre.retire();
  first();
  expect(closed()).toBe(0);
  second();
  expect([closed(), cadre.isClosed]).toEqual([1, true]);
});

test('a cadre that is kept for the next run is closed when none came in that time', () => {
  const { cadre, closed } = closing(60_000);
  const first = cadre.use();
  void cadre.retire();
  first();
  vi.advanceTimersByTime(59_000);
  const second = cadre.use();
  vi.advanceTimersByTime(120_000);
  expect(closed()).toBe(0);
  second();
  vi.advanceTimersByTime(60_000);
  expect([closed(), cadre.isClosed]).toEqual([1, true]);
});

test('closing does not wait for the time that it would be kept', async () => {
  const { cadre, closed } = closing(60_000);
  cadre.use()();
  void cadre.retire();
  await cadre.close();
  vi.advanceTimersByTime(120_000);
  expect(closed()).toBe(1);
});
