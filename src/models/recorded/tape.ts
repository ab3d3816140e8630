// The file of a recording: JSON lines, append-only. A `part` line holds a text or message once, by its digest; a
// `reply` line holds what was asked, as digests, and the answer. The parts are there to show what differs later.

import { appendFile, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { readRecording } from '../../base/disk/regular.ts';
import { MAX_CARRIER_DEPTH, readJson } from '../../base/text/json.ts';
import { fail, faultOf } from '../../kernel/fault.ts';
import type { ProviderRequest, ReplyEnd, ReplyFault } from '../provider.ts';
import { type Print, partsOf } from './print.ts';

export interface Take {
  readonly agent: string;
  readonly session: string;
  readonly turn: number;
  /** The answer to a compaction, after that turn. */
  readonly compact?: true;
  readonly print: Print;
  /** A fault stands only in the recording of a run that went on with it. */
  readonly reply: ReplyEnd | ReplyFault;
}

export interface Tape {
  readonly file: string;
  /** `play`: the file was there when it was opened. */
  readonly mode: 'record' | 'play';
  readonly takes: readonly Take[];
  /** A recorded part by its digest. */
  part(digest: string): unknown;
  add(request: ProviderRequest, print: Print, end: Take['reply']): Promise<void>;
}

type TapeLine =
  | { readonly part: string; readonly value: unknown }
  | { readonly take: Take }
  | { readonly version: number };

/** The first version has no faults. */
const VERSION = 2;

export async function openTape(file: string): Promise<Tape> {
  const text = await readIfThere(file);
  const lines = text === undefined ? [] : parse(text, file);
  const parts = new Map<string, unknown>();
  const takes: Take[] = [];
  for (const line of lines) {
    if ('part' in line) parts.set(line.part, line.value);
    else if ('take' in line) takes.push(line.take);
    else if (line.version > VERSION) fail('model/recording', `${file} was recorded by a newer release of Cadre.`);
  }
  let writing: Promise<void> = Promise.resolve();
  let begun = text !== undefined;

  const write = async (fresh: readonly TapeLine[]): Promise<void> => {
    if (!begun) await mkdir(dirname(file), { recursive: true });
    const all = begun ? fresh : [{ version: VERSION }, ...fresh];
    await appendFile(file, all.map((line) => `${JSON.stringify(line)}\n`).join(''));
    begun = true;
  };

  return {
    file,
    mode: text === undefined ? 'record' : 'play',
    takes,
    part: (digest) => parts.get(digest),
    add(request, print, end) {
      const given = Object.entries(partsOf(request)).map(([name, value]) => [print.parts[name], value] as const);
      request.messages.forEach((message, index) => given.push([print.messages[index], message] as const));
      const fresh: TapeLine[] = [];
      for (const [digest, value] of given) {
        if (digest === undefined || parts.has(digest)) continue;
        parts.set(digest, value);
        fresh.push({ part: digest, value });
      }
      const { agent, session, turn, compact } = request;
      fresh.push({ take: { agent, session, turn, ...(compact && { compact: true }), print, reply: end } });
      const written = writing.then(() => write(fresh));
      writing = written.catch(() => undefined); // the caller sees the failure; the next write tries again
      return written;
    },
  };
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readRecording(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    return fail('model/recording', `the recording cannot be read: ${faultOf(error).message}`);
  }
}

function parse(text: string, file: string): readonly TapeLine[] {
  return text.split('\n').flatMap((line, index): TapeLine[] => {
    if (line === '') return [];
    const read = readJson(line, MAX_CARRIER_DEPTH);
    if (read.ok) return [read.value as TapeLine];
    return fail(
      'model/recording',
      `${file}:${index + 1} is not a line of a recording: it ${read.why}. Delete the file to record again.`,
    );
  });
}
