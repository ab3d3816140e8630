// `cadre serve` in a process that tells what it used: node served.mjs <dist>, over IPC. It answers each message with the
// processor time and the longest silence of the event loop since the message before.

import { monitorEventLoopDelay } from 'node:perf_hooks';

const [main] = process.argv.splice(2);
process.argv[1] = main;
process.argv.push('serve', '--port', '0', '--quiet');

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
let before = process.cpuUsage();
process.on('message', () => {
  const { user, system } = process.cpuUsage(before);
  process.send({ cpuMs: (user + system) / 1000, silenceMs: delay.max / 1e6 });
  delay.reset();
  before = process.cpuUsage();
});
await import(main);
