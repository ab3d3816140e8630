// The contract of the cells of every store. Each implementation's test file calls this once.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Cells, type Space, textIn, textValue } from './cells.ts';

const NOTES: Space = { name: 'control', holds: 'lines', tells: true };
const OTHERS: Space = { name: 'keys', holds: 'lines' };
const BYTES: Space = { name: 'blobs', holds: 'bytes' };
const digest = (letter: string): string => letter.repeat(64);

interface OpenedCells {
  readonly cells: Cells;
  /** The same cells, as another process has them. */
  readonly others: Cells;
  close(): void | Promise<void>;
}

export function cellsConformance(name: string, open: () => OpenedCells | Promise<OpenedCells>): void {
  describe(name, () => {
    let cells: Cells;
    let others: Cells;
    let close: OpenedCells['close'];
    beforeEach(async () => {
      ({ cells, others, close } = await open());
    });
    afterEach(() => close());

    const put = (key: string, head: string, text = ''): Promise<unknown> =>
      cells.putIf(NOTES, key, textValue(head, text), 'absent');

    test('a cell holds its head and its body, to the byte, and each space its own', async () => {
      const text = 'é\u0000\u2028"\\\r\n\ud83d\ude00';
      await put('r1/one', '{"head":"é"}', text);
      const cell = await others.get(NOTES, 'r1/one');
      expect(cell).toMatchObject({ key: 'r1/one', head: '{"head":"é"}', size: expect.any(Number) });
      expect(cell && textIn(cell)).toBe(text);
      expect(await cells.get(OTHERS, 'r1/one')).toBeUndefined();
      expect(await cells.get(NOTES, 'r1/two')).toBeUndefined();
      const bytes = Uint8Array.from({ length: 1000 }, (_, index) => index % 256);
      await cells.putIf(BYTES, digest('a'), { head: '', body: bytes }, 'absent');
      expect((await others.get(BYTES, digest('a')))?.body).toEqual(bytes);
    });

    test('an empty head, an empty body and empty bytes are values too', async () => {
      await put('empty', '');
      await cells.putIf(BYTES, digest('b'), { head: '', body: new Uint8Array() }, 'absent');
      expect(await cells.get(NOTES, 'empty')).toMatchObject({ head: '', body: new Uint8Array() });
      expect((await cells.get(BYTES, digest('b')))?.body).toEqual(new Uint8Array());
    });

    test('one of twenty that put the same cell does, and the others are told the cell that stands there', async () => {
      const puts = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          (index % 2 === 0 ? cells : others).putIf(NOTES, 'hot', textValue(`head ${index}`, 'body'), 'absent'),
        ),
      );
      const winners = puts.filter(({ isPut }) => isPut);
      expect(winners).toHaveLength(1);
      const cell = await cells.get(NOTES, 'hot');
      expect(winners[0]).toMatchObject({ version: cell?.version });
      for (const one of puts)
        if (!one.isPut) expect(one.standing).toMatchObject({ head: cell?.head, version: cell?.version });
    });

    test('a put that is refused changes nothing', async () => {
      await put('one', 'first', 'body');
      const before = await cells.get(NOTES, 'one');
      expect(await others.putIf(NOTES, 'one', textValue('second'), 'absent')).toMatchObject({ isPut: false });
      expect(await others.putIf(NOTES, 'one', textValue('third'), { version: 'another' })).toMatchObject({
        isPut: false,
      });
      expect(await cells.get(NOTES, 'one')).toEqual(before);
      const none = await cells.putIf(NOTES, 'none', textValue('x'), { version: before?.version ?? '' });
      expect(none).toEqual({ isPut: false, standing: undefined });
      expect(await cells.get(NOTES, 'none')).toBeUndefined();
    });

    test('a cell is replaced under its version, and under any', async () => {
      await put('one', 'first', 'body');
      const { version } = (await cells.get(NOTES, 'one')) ?? { version: '' };
      expect(await others.putIf(NOTES, 'one', textValue('second', 'b'), { version })).toMatchObject({ isPut: true });
      expect(await cells.putIf(NOTES, 'one', textValue('third'), { version })).toMatchObject({ isPut: false });
      await cells.putIf(NOTES, 'one', textValue('fourth'), 'any');
      await cells.putIf(NOTES, 'new', textValue('fifth'), 'any');
      expect((await others.list(NOTES, '')).map(({ key, head }) => [key, head])).toEqual([
        ['new', 'fifth'],
        ['one', 'fourth'],
      ]);
    });

    test('a version never comes back, also over a delete', async () => {
      const versions = new Set<string>();
      for (let round = 0; round < 20; round++) {
        const result = await cells.putIf(NOTES, 'one', textValue('same', 'same'), 'absent');
        if (result.isPut) versions.add(result.version);
        if (round % 3 === 0) await cells.touch(NOTES, 'one');
        versions.add((await cells.get(NOTES, 'one'))?.version ?? '');
        await cells.delete(NOTES, 'one');
      }
      expect(versions.size).toBe(27);
    });

    test('counting by version loses nothing, however many count at once', async () => {
      await put('count', '0');
      const addOne = async (from: Cells): Promise<void> => {
        for (;;) {
          const cell = await from.get(NOTES, 'count');
          if (cell === undefined) throw new Error('it is gone');
          const value = textValue(String(Number(cell.head) + 1));
          if ((await from.putIf(NOTES, 'count', value, { version: cell.version })).isPut) return;
        }
      };
      await Promise.all(Array.from({ length: 40 }, (_, index) => addOne(index % 2 === 0 ? cells : others)));
      expect((await cells.get(NOTES, 'count'))?.head).toBe('40');
    });

    test('a cell that was touched is as new as if it were put now, and its old version is gone', async () => {
      await cells.putIf(BYTES, digest('c'), { head: '', body: Uint8Array.of(1, 2) }, 'absent');
      const [before] = await cells.list(BYTES, '', { with: 'keys' });
      expect(await others.touch(BYTES, digest('c'))).toBe(true);
      expect(await cells.delete(BYTES, digest('c'), before?.version ?? '')).toBe(false);
      const after = await cells.get(BYTES, digest('c'));
      expect(after?.body).toEqual(Uint8Array.of(1, 2));
      expect(after?.putAt).toBeGreaterThanOrEqual(before?.putAt ?? Number.NaN);
      expect(await cells.delete(BYTES, digest('c'), after?.version ?? '')).toBe(true);
      expect(await cells.touch(BYTES, digest('c'))).toBe(false);
    });

    test('a cell is deleted once', async () => {
      await put('one', 'first');
      const deleted = await Promise.all([cells, others, cells].map((from) => from.delete(NOTES, 'one')));
      expect(deleted.filter((isDeleted) => isDeleted)).toHaveLength(1);
      expect(await cells.get(NOTES, 'one')).toBeUndefined();
    });

    test('a list is in the order of keys, has those that begin so, and only what was asked for', async () => {
      for (const key of ['r1/b', 'r1/a', 'r1.2/a', 'r1~0/a', 'r10/a', 'R1/a']) await put(key, `head of ${key}`, 'body');
      const keys = async (...given: Parameters<Cells['list']> extends [Space, ...infer Rest] ? Rest : never) =>
        (await others.list(NOTES, ...given)).map(({ key }) => key);
      expect(await keys('r1/')).toEqual(['r1/a', 'r1/b']);
      expect(await keys('')).toEqual(['R1/a', 'r1.2/a', 'r1/a', 'r1/b', 'r10/a', 'r1~0/a']);
      expect(await keys('', { order: 'down', limit: 2 })).toEqual(['r1~0/a', 'r10/a']);
      expect(await keys('x')).toEqual([]);
      const [heads] = await cells.list(NOTES, 'r1/');
      expect(heads).toMatchObject({ head: 'head of r1/a', body: new Uint8Array() });
      const [bodies] = await cells.list(NOTES, 'r1/', { with: 'bodies' });
      expect(bodies && textIn(bodies)).toBe('body');
      const whole = await cells.get(NOTES, 'r1/a');
      expect(bodies).toMatchObject({ version: whole?.version, putAt: whole?.putAt });
    });

    test('a list goes on while cells come and go', async () => {
      const churn = async (): Promise<void> => {
        for (let round = 0; round < 30; round++) {
          await put(`c${round}`, 'x');
          await cells.delete(NOTES, `c${round}`);
        }
      };
      await put('stays', 'x');
      const lists = async (): Promise<void> => {
        for (let round = 0; round < 15; round++)
          expect((await others.list(NOTES, '', { with: 'bodies' })).map(({ key }) => key)).toContain('stays');
      };
      await Promise.all([churn(), lists()]);
    });

    test('a body of five megabytes is kept', async () => {
      const body = Buffer.alloc(5 * 1_048_576, 'é');
      await cells.putIf(OTHERS, 'large', { head: 'h'.repeat(50_000), body }, 'absent');
      const cell = await others.get(OTHERS, 'large');
      expect(cell?.head).toHaveLength(50_000);
      expect(Buffer.from(cell?.body ?? []).equals(body)).toBe(true);
      expect((await cells.list(OTHERS, ''))[0]?.head).toHaveLength(50_000);
    });

    test('a cell that was set aside is in no list any more', async () => {
      await put('r1/one', 'x');
      await cells.setAside(NOTES, 'r1/one');
      expect(await others.list(NOTES, '')).toEqual([]);
      await put('r1/one', 'again');
      expect((await cells.get(NOTES, 'r1/one'))?.head).toBe('again');
    });

    test('a watcher is told of cells that another process puts under the same first part', async () => {
      const seen: string[] = [];
      const told = new Promise<void>((resolve) => {
        const stop = cells.watch(NOTES, 'r1', () => {
          seen.push('r1');
          stop();
          resolve();
        });
      });
      const stopOther = cells.watch(NOTES, 'r2', () => seen.push('r2'));
      await others.putIf(NOTES, 'r1/one', textValue('x'), 'absent');
      await told;
      stopOther();
      expect(seen).toEqual(['r1']);
    });

    test.each(['', '.', '..', 'a/..', '/a', 'a/', 'a/b/c', 'a b', 'a,b', 'é', 'a'.repeat(300)])(
      '%j is no key',
      async (key) => {
        await expect(put(key, 'x')).rejects.toThrow('cannot be the key of a cell');
        expect(await cells.list(NOTES, '')).toEqual([]);
      },
    );
  });
}
