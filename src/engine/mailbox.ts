// Letters to a run from other processes: end this, tell it that, share this with it. A letter lies in the store's
// folder until the process that works on the run has read it; nobody else reads it.

import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunId } from '../journal/event.ts';
import type { SharedContext, SpawnId } from '../kernel/spawned.ts';

export type Letter =
  | { readonly kind: 'cancel'; readonly to: SpawnId; readonly reason: string }
  | { readonly kind: 'send'; readonly to: SpawnId; readonly text: string }
  /** For a run that has not begun. */
  | { readonly kind: 'context'; readonly to: SpawnId; readonly context: SharedContext };

export interface Mailbox {
  post(letter: Letter): void;
  /** All letters to a run, in the order in which they were posted. They are gone then. */
  collect(run: RunId): readonly Letter[];
}

/** The run whose process reads the letters to a spawned run. */
export const runOf = (id: SpawnId): RunId => id.split('~')[0] ?? id;

export function fileMailbox(dir: string): Mailbox {
  const folderOf = (run: RunId): string => join(dir, 'letters', run);
  let posted = 0;
  return {
    post(letter) {
      const folder = folderOf(runOf(letter.to));
      mkdirSync(folder, { recursive: true });
      const name = `${String(Date.now()).padStart(15, '0')}-${String(posted++).padStart(6, '0')}-${randomBytes(3).toString('hex')}`;
      writeFileSync(join(folder, `${name}.draft`), JSON.stringify(letter));
      renameSync(join(folder, `${name}.draft`), join(folder, `${name}.json`)); // seen whole, or not at all
    },
    collect(run) {
      const folder = folderOf(run);
      const letters: Letter[] = [];
      for (const name of namesIn(folder)) {
        const file = join(folder, name);
        letters.push(JSON.parse(readFileSync(file, 'utf8')) as Letter);
        rmSync(file);
      }
      return letters;
    },
  };
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .sort();
  } catch {
    return []; // nobody has written yet
  }
}

export interface Attendance {
  /** What was stored for the run so far, later keys over earlier ones. */
  context(): SharedContext | undefined;
  close(): void;
}

const EVERY_MS = 250;

/** Reads the letters of a run for as long as it is worked on. */
export function attend(
  mailbox: Mailbox,
  run: RunId,
  to: { cancel(id: SpawnId, reason: string): void; send(id: SpawnId, text: string): void },
): Attendance {
  let context: SharedContext | undefined;
  const read = (): void => {
    for (const letter of mailbox.collect(run)) {
      if (letter.kind === 'cancel') to.cancel(letter.to, letter.reason);
      else if (letter.kind === 'send') to.send(letter.to, letter.text);
      else context = { ...context, ...letter.context };
    }
  };
  const timer = setInterval(read, EVERY_MS);
  timer.unref();
  return {
    context() {
      read();
      return context;
    },
    close: () => clearInterval(timer),
  };
}
