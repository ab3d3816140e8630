// The built command line, as a user starts it.

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const cli = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/** After `most` milliseconds it is asked to end as by Ctrl+C, so that the run ends in order. */
export function cadre(args, cwd, most) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [cli, ...args], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    const timer = most === undefined ? undefined : setTimeout(() => child.kill('SIGINT'), most);
    const texts = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr']) child[name].on('data', (part) => (texts[name] += part));
    child.once('error', reject);
    child.once('close', (exit) => {
      clearTimeout(timer);
      resolve({ exit, ...texts });
    });
  });
}
