// A process that runs tests (tester.mjs), seen from here.

import { fork } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from '../house/files.mjs';

const program = fileURLToPath(new URL('./tester.mjs', import.meta.url));

export class Tester {
  #args;
  #child;
  #scratch;

  /** `marked` runs on source with marks. */
  constructor(...args) {
    this.#args = args;
  }

  /** Runs tests of a file, and returns the outcome. `ids` undefined: all of them. `mistake` undefined: the source as it is. */
  async run({ mistake, file, ids, limits }) {
    this.#child ??= await this.#started();
    const answer = nextAnswer(this.#child);
    this.#child.send({ mistake, file, ids, limits });
    // It cuts off what hangs by itself. If it hangs too, it goes, and a new one is started for the next run.
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), limits.wallMs + 60_000);
    const outcome = await answer;
    clearTimeout(timer);
    if (outcome !== undefined) return outcome;
    this.close();
    return {
      ended: 'late',
      ms: limits.wallMs,
      tests: [],
      failed: [],
      errors: ['The process that runs the tests ended.'],
    };
  }

  close() {
    if (this.#child === undefined) return;
    if (this.#child.connected) this.#child.disconnect();
    else rmSync(this.#scratch, { recursive: true, force: true });
    this.#child = undefined;
  }

  async #started() {
    this.#scratch = mkdtempSync(join(tmpdir(), 'mutation-'));
    chmodSync(this.#scratch, 0o755); // a database that root starts runs as another user
    const child = fork(program, this.#args, {
      cwd: root,
      stdio: ['ignore', 'ignore', process.env.CADRE_MUTATION_DEBUG ? 'inherit' : 'ignore', 'ipc'],
      env: { ...process.env, TMPDIR: this.#scratch },
    });
    if ((await nextAnswer(child)) === undefined) throw new Error('The process that runs the tests did not start.');
    return child;
  }
}

/** Undefined if the process ended first. */
function nextAnswer(child) {
  return new Promise((resolve) => {
    const end = (outcome) => {
      child.removeAllListeners();
      resolve(outcome);
    };
    child.once('message', end);
    child.once('exit', () => end(undefined));
  });
}
