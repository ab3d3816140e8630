// Plays random compositions of agents and holds them to the laws in test/compositions/laws.ts.
//   npm run compositions -- --runs 2000 --seed 1
// A failure prints the smallest composition that still fails, and the path that plays it again: --path 12:3:1

import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
    path: { type: 'string', default: '' },
  },
});

const { status } = spawnSync('npx', ['vitest', 'run', 'test/compositions'], {
  stdio: 'inherit',
  env: {
    ...process.env,
    COMPOSITIONS: values.runs,
    COMPOSITIONS_SEED: values.seed,
    COMPOSITIONS_PATH: values.path,
  },
});
process.exitCode = status ?? 1;
