// The tools of files:write in a folder of their own, with a recorder in memory.

import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Preview } from '../../src/kernel/approval.ts';
import type { FileChange } from '../../src/kernel/change.ts';
import { NOTHING_SECRET, type Redactor } from '../../src/kernel/redacted.ts';
import { openSecrets } from '../../src/secrets/secrets.ts';
import type { WriteAccess } from '../../src/tools/files/write/rules.ts';
import { filesWriteSource } from '../../src/tools/files/write/source.ts';
import type { Tool } from '../../src/tools/tool.ts';

/** A redactor that knows one secret. */
export const knowing = (name: string, value: string): Redactor => openSecrets((add) => add(name, value));

export interface Writing {
  /** The workspace: without links. */
  readonly path: string;
  put(file: string, text: string | Uint8Array, mode?: number): void;
  text(file: string): string;
  /** The answer of a tool, or the message with which it refuses. */
  call(name: string, input: unknown, how?: CallHow): Promise<string>;
  /** The output of a tool, as it is. */
  output(name: string, input: unknown): Promise<unknown>;
  /** The preview that a person would see, or the message with which the call is refused. */
  preview(name: string, input: unknown, redactor?: Redactor): Promise<Preview | string>;
  /** The intents, in order. */
  readonly intents: FileChange[];
  readonly blobs: Map<string, Uint8Array>;
  remove(): void;
}

export interface CallHow {
  /** The call is in doubt, and had recorded this. */
  readonly intended?: FileChange;
  readonly redactor?: Redactor;
  /** The state that a person saw who approved the call. */
  readonly basis?: string;
  /** Called when the intent is recorded, before the change. */
  readonly intending?: () => void;
}

export function writingIn(files: Readonly<Record<string, string>>, access: Partial<WriteAccess> = {}): Writing {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'cadre-write-')));
  const path = join(home, 'workspace');
  mkdirSync(path);
  const put: Writing['put'] = (file, text, mode) => {
    mkdirSync(dirname(join(path, file)), { recursive: true });
    writeFileSync(join(path, file), text, mode === undefined ? {} : { mode });
  };
  for (const [file, text] of Object.entries(files)) put(file, text);
  const source = filesWriteSource(path, { own: [], stores: [], allow: [], isAgent: () => false, ...access });
  const intents: FileChange[] = [];
  const blobs = new Map<string, Uint8Array>();
  let calls = 0;
  const toolOf = async (name: string): Promise<Tool> => {
    const tool = (await source.tools()).find(({ spec }) => spec.name === name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    return tool;
  };
  return {
    path,
    put,
    text: (file) => readFileSync(join(path, file), 'utf8'),
    intents,
    blobs,
    async preview(name, input, redactor = NOTHING_SECRET) {
      const { preview } = await toolOf(name);
      if (preview === undefined) throw new Error(`${name} has no preview`);
      try {
        return await preview(input, { signal: new AbortController().signal, redactor });
      } catch (thrown) {
        return (thrown as Error).message;
      }
    },
    async output(name, input) {
      const signal = new AbortController().signal;
      const context = { signal, callKey: `run/${calls++}`, progress: () => {}, redactor: NOTHING_SECRET };
      return (await toolOf(name)).execute(input, context);
    },
    async call(name, input, { intended, redactor = NOTHING_SECRET, basis, intending } = {}) {
      const tool = await toolOf(name);
      const context = {
        signal: new AbortController().signal,
        callKey: `run/${calls++}`,
        progress: () => {},
        redactor,
        ...(basis !== undefined && { basis }),
        changes: {
          intended,
          async keep(bytes: Uint8Array) {
            const digest = createHash('sha256').update(bytes).digest('hex');
            blobs.set(digest, Uint8Array.from(bytes));
            return digest;
          },
          async intend(change: FileChange) {
            intents.push(change);
            intending?.();
          },
        },
      };
      return tool.execute(input, context).then(String, (thrown: Error) => thrown.message);
    },
    remove: () => rmSync(home, { recursive: true, force: true }),
  };
}
