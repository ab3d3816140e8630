// Letters to a run from other processes: end this, tell it that, share this with it. A letter lies in the store's
// folder until the process that works on the run has read it; nobody else reads it. Whoever posted it can see whether
// it was read, and take it back if not: a letter to a run that has ended is not left lying.

import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RunId } from '../journal/event.ts';
import { readRegularText, UnusableFile } from '../disk/regular.ts';
import { readJson } from '../kernel/json.ts';
import { readShared } from '../patterns/spawn/shared-context.ts';
import type { SharedContext, SpawnId } from '../kernel/spawned.ts';

export type Letter =
  | { readonly kind: 'cancel'; readonly to: SpawnId; readonly reason: string }
  | { readonly kind: 'send'; readonly to: SpawnId; readonly text: string }
  /** For a run that has not begun. */
  | { readonly kind: 'context'; readonly to: SpawnId; readonly context: SharedContext };

export interface Posted {
  /** Whether the process that works on the run has it. */
  isRead(): boolean;
  /** Takes it back. False where it was read before. */
  withdraw(): boolean;
}

export interface Mailbox {
  post(letter: Letter): Posted;
  /** All letters to a run, in the order in which they were posted. They are gone then. */
  collect(run: RunId): readonly Letter[];
  /** The runs that there may be letters to. */
  waiting(): readonly RunId[];
}

/** The run whose process reads the letters to a spawned run. */
export const runOf = (id: SpawnId): RunId => id.split('~')[0] ?? id;

/** A letter that nobody can read is laid aside, and `warn` is told of it once. */
export function fileMailbox(dir: string, warn: (text: string) => void = () => {}): Mailbox {
  const letters = join(dir, 'letters');
  const folderOf = (run: RunId): string => join(letters, run);
  let posted = 0;
  return {
    post(letter) {
      const folder = folderOf(runOf(letter.to));
      const order = `${String(Date.now()).padStart(15, '0')}-${String(posted++).padStart(6, '0')}`;
      const name = join(folder, `${order}-${randomBytes(3).toString('hex')}`);
      write(folder, name, JSON.stringify(letter));
      return {
        isRead: () => !existsSync(`${name}.json`),
        withdraw: () => isRemoved(`${name}.json`),
      };
    },
    collect(run) {
      const folder = folderOf(run);
      const found: Letter[] = [];
      for (const name of namesIn(folder).filter((one) => one.endsWith('.json'))) {
        const file = join(folder, name);
        const letter = letterIn(file);
        if (letter === undefined) {
          renameSync(file, `${file}.unreadable`);
          warn(`A message to run ${run} is not understood and was not delivered. It is kept as ${file}.unreadable`);
          continue;
        }
        found.push(letter);
        rmSync(file);
      }
      removeEmpty(folder);
      return found;
    },
    waiting: () => namesIn(letters),
  };
}

/** A letter is seen whole, or not at all. */
function write(folder: string, name: string, text: string): void {
  for (;;) {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileSync(`${name}.draft`, text, { flag: 'wx', mode: 0o600 });
      return renameSync(`${name}.draft`, `${name}.json`);
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown; // else its reader has removed the empty folder
    }
  }
}

/** Whoever can write into the store can write a letter, so it may be anything. */
function letterIn(file: string): Letter | undefined {
  const text = textOf(file);
  const parsed = text === undefined ? undefined : readJson(text);
  if (parsed?.ok !== true || typeof parsed.value !== 'object' || parsed.value === null) return undefined;
  const { kind, to, reason, text: said, context } = parsed.value as Readonly<Record<string, unknown>>;
  if (typeof to !== 'string') return undefined;
  if (kind === 'cancel') return typeof reason === 'string' ? { kind, to, reason } : undefined;
  if (kind === 'send') return typeof said === 'string' ? { kind, to, text: said } : undefined;
  const shared = kind === 'context' ? readShared(context) : undefined;
  return shared === undefined || 'error' in shared ? undefined : { kind: 'context', to, context: shared.own };
}

const MAX_LETTER_BYTES = 4 * 1_048_576;

function textOf(file: string): string | undefined {
  try {
    return readRegularText(file, { maxBytes: MAX_LETTER_BYTES, within: dirname(file) });
  } catch (thrown) {
    if (thrown instanceof UnusableFile) return undefined;
    throw thrown;
  }
}

function isRemoved(file: string): boolean {
  try {
    unlinkSync(file);
    return true;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw thrown;
  }
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    return; // somebody has written meanwhile, or nobody ever did
  }
}

function namesIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return []; // nobody has written yet
  try {
    return readdirSync(folder).sort();
  } catch {
    return []; // removed in between
  }
}

export interface Attendance {
  /** What was stored for the run so far, later keys over earlier ones. */
  context(): SharedContext | undefined;
  close(): void;
}

export interface Addressee {
  cancel(id: SpawnId, reason: string): void;
  send(id: SpawnId, text: string): void;
}

export interface MailReader {
  /** Reads the letters of a run for as long as it is worked on. */
  attend(run: RunId, to: Addressee): Attendance;
}

const EVERY_MS = 250;

/** Looks into a mailbox for all the runs of this process, with one timer. */
export function mailReader(mailbox: Mailbox): MailReader {
  const readers = new Map<RunId, () => void>();
  let timer: ReturnType<typeof setInterval> | undefined;
  const look = (): void => {
    if (readers.size === 0) {
      clearInterval(timer); // only now: most runs are followed by another one soon
      timer = undefined;
    } else for (const run of mailbox.waiting()) readers.get(run)?.();
  };
  return {
    attend(run, to) {
      let context: SharedContext | undefined;
      const read = (): void => {
        for (const letter of mailbox.collect(run)) {
          if (letter.kind === 'cancel') to.cancel(letter.to, letter.reason);
          else if (letter.kind === 'send') to.send(letter.to, letter.text);
          else context = { ...context, ...letter.context };
        }
      };
      readers.set(run, read);
      timer ??= setInterval(look, EVERY_MS).unref();
      return {
        context() {
          read();
          return context;
        },
        close: () => void readers.delete(run),
      };
    },
  };
}
