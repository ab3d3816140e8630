import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { loadCadre } from '../src/definition/load.ts';
import { replay } from '../src/engine/history/replay.ts';
import { readAll } from '../src/engine/pinned.ts';
import { openResources } from '../src/run/resources/open-resources.ts';
import { services } from '../src/run/services.ts';
import { memoryStore } from '../src/stores/memory.ts';
import { ledger } from '../src/views/costs/ledger.ts';
import { builtWorker } from './support/built-worker.ts';
import { engineOf } from './support/handled.ts';

const folder = resolve(dirname(fileURLToPath(import.meta.url)), '../examples/subagent');

test('the example gives the same answer with both runners, counts the same calls, and replays', async () => {
  const cadre = await loadCadre(folder);
  const helperCommand = await builtWorker();
  const store = memoryStore();
  const engine = engineOf(cadre, { store, openResources: (one) => openResources(one, { helperCommand }) });
  const ask = async (agent: string) => {
    const handle = await engine.start({ agent, input: { text: 'What do we lack before the winter?' } });
    const outcome = await handle.outcome();
    const events = await readAll(handle.run, store);
    expect(await replay(events, cadre, services)).toMatchObject({ kind: 'identical', ended: true });
    return { outcome, totals: ledger(events).totals };
  };
  const [here, apart] = await Promise.all([ask('harbour-master'), ask('harbour-master-apart')]);
  await engine.close();
  expect(here.outcome).toMatchObject({ kind: 'answered', text: expect.stringContaining('a broken fluke') });
  expect('text' in apart.outcome && apart.outcome.text).toBe('text' in here.outcome && here.outcome.text);
  expect(here.totals.calls).toBe(6);
  expect(apart.totals.calls).toBe(6);
});
