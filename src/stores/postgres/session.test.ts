import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import type { Database } from './database.ts';
import { HolderSession } from './session.ts';

/** A connection that answers after a while, and notes how much it was asked at the same time. */
class SlowClient extends EventEmitter {
  readonly asked: string[] = [];
  most = 0;
  #underWay = 0;

  async query(text: string): Promise<{ readonly rows: readonly object[]; readonly rowCount: number }> {
    this.asked.push(text);
    this.most = Math.max(this.most, ++this.#underWay);
    await new Promise((resolve) => setImmediate(resolve));
    this.#underWay--;
    return { rows: [{ locked: true }], rowCount: 1 };
  }
  ref(): void {}
  unref(): void {}
  async end(): Promise<void> {}
}

test('the connection is asked one thing at a time, whoever listens and says who it is meanwhile', async () => {
  const client = new SlowClient();
  const database = { connect: async () => client, query: async () => [{ schema: 'public' }] };
  const session = new HolderSession(database as unknown as Database);
  session.listen('told', () => {});
  await session.holder();
  const card = { name: 'north', kind: 'worker', labels: [] } as const;
  session.listen('runs', () => {});
  session.listen('work', () => {});
  await Promise.all([session.introduce(card), session.introduce(card), session.holder()]);
  await session.close();
  const listened = client.asked.filter((text) => text.startsWith('listen'));
  expect(listened).toEqual(['listen "cadre_told"', 'listen "cadre_runs"', 'listen "cadre_work"']);
  expect(client.most).toBe(1);
});
