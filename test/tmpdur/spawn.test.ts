import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'vitest';
import { pinnedCadre } from '../../src/engine/local.ts';
import { replay, startOf } from '../../src/engine/replay.ts';
import { services } from '../../src/engine/services.ts';
import { dice } from '../crash/support/figures.ts';
import { hurried, stories } from '../crash/support/stories.ts';
import { killedOften, openStore } from '../crash/support/victim.ts';

test('find', { timeout: 400_000 }, async () => {
  const story = hurried(stories(2).find(({ name }) => name === 'spawn')!);
  let found = 0;
  const one = async (seed: number) => {
    const store = mkdtempSync(join(tmpdir(), 'cadre-find-'));
    const roll = dice(seed);
    const v = await killedOften(['run', join(story.folder, story.agent), story.input, '--json', '--store', store], store, (kill) =>
      kill >= 8 ? undefined : roll(2) === 0 ? { ms: roll(450) } : { events: roll(5) });
    const cadre = await pinnedCadre(startOf(v.events), openStore(store));
    const r = await replay(v.events, cadre, services);
    if (r.kind === 'different') {
      found++;
      console.log(seed, store, JSON.stringify(r.difference, null, 1).slice(0, 3000));
      writeFileSync(`/tmp/spawn-diff-${seed}.json`, JSON.stringify({ store, r, folder: story.folder }, null, 1));
    }
  };
  for (let batch = 0; batch < 12 && found < 2; batch++) await Promise.all([1, 2, 3, 4].map((n) => one(batch * 4 + n)));
});
