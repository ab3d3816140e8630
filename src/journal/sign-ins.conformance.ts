// The contract of the sign-ins of every store that keeps them. Each implementation's test file calls this once.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RunStore, SignIns } from './store.ts';

interface OpenedStores {
  readonly store: RunStore;
  /** The same store, as another process has it. */
  readonly other: RunStore;
  close(): void | Promise<void>;
}

const ID = 'a'.repeat(64);
const OTHER = 'b'.repeat(64);
const LONG_MS = 600_000;

export function signInsConformance(name: string, open: () => OpenedStores | Promise<OpenedStores>): void {
  describe(name, () => {
    let mine: SignIns;
    let theirs: SignIns;
    let close: OpenedStores['close'];
    beforeEach(async () => {
      const opened = await open();
      mine = opened.store.signIns as SignIns;
      theirs = opened.other.signIns as SignIns;
      close = opened.close;
    });
    afterEach(() => close());

    test('a sign-in that one process puts is read by another, whole', async () => {
      expect(await mine.put(ID, { head: '{"server":"é"}', body: '{"a":1}\nü' }, 'absent')).toBe(true);
      expect(await theirs.get(ID)).toMatchObject({ id: ID, head: '{"server":"é"}', body: '{"a":1}\nü' });
      expect((await theirs.list()).map(({ id, body }) => [id, body])).toEqual([[ID, '{"a":1}\nü']]);
      expect(await theirs.get(OTHER)).toBeUndefined();
    });

    test('it is replaced only by who names the version that stands there', async () => {
      await mine.put(ID, { head: 'h', body: 'one' }, 'absent');
      const first = (await mine.get(ID))?.version ?? '';
      expect(await mine.put(ID, { head: 'h', body: 'two' }, 'absent')).toBe(false);
      const puts = await Promise.all([
        mine.put(ID, { head: 'h', body: 'mine' }, first),
        theirs.put(ID, { head: 'h', body: 'theirs' }, first),
      ]);
      expect(puts.filter(Boolean)).toHaveLength(1);
      expect((await mine.get(ID))?.body).toBe(puts[0] === true ? 'mine' : 'theirs');
    });

    test('one that was removed is not brought back by who read it before', async () => {
      await mine.put(ID, { head: 'h', body: 'one' }, 'absent');
      const { version = '' } = (await mine.get(ID)) ?? {};
      expect(await theirs.remove(ID)).toBe(true);
      expect(await mine.put(ID, { head: 'h', body: 'two' }, version)).toBe(false);
      expect(await mine.get(ID)).toBeUndefined();
      expect(await mine.remove(ID)).toBe(false);
    });

    test('one of twenty that want the lease gets it, and another when it was given back', async () => {
      const all = await Promise.all(
        Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? mine : theirs).lease(ID, LONG_MS)),
      );
      const given = all.filter((lease) => lease !== undefined);
      expect(given).toHaveLength(1);
      expect(await theirs.lease(OTHER, LONG_MS)).toBeDefined();
      await given[0]?.release();
      expect(await theirs.lease(ID, LONG_MS)).toBeDefined();
    });

    test('a lease whose time is over goes to one other, and who had it gives back nothing', async () => {
      const late = await mine.lease(ID, LONG_MS);
      const all = await Promise.all([mine.lease(ID, -1), theirs.lease(ID, -1)]);
      expect(all.filter((lease) => lease !== undefined).length).toBeGreaterThan(0);
      await late?.release();
      expect(await mine.lease(ID, LONG_MS)).toBeUndefined();
    });

    test('a watcher is told of one that another process puts', async () => {
      const told = new Promise<void>((resolve) => {
        const stop = mine.watch(() => {
          stop();
          resolve();
        });
      });
      await theirs.put(ID, { head: 'h', body: 'one' }, 'absent');
      await told;
      expect((await mine.get(ID))?.body).toBe('one');
    });
  });
}
