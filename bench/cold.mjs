// A cold start, timed from outside: imports one framework, answers once, ends.

import { check, prepare } from './workloads.mjs';

const { adapter } = await import(`./adapters/${process.argv[2]}.mjs`);
const run = await prepare(adapter, 'W5');
check(adapter, 'W5', [await run()]);
process.exit(0);
