// What the two output streams can do, and the styles that are used on them. The only place that reads NO_COLOR, TERM
// and CI.

import { styleText } from 'node:util';

export type Tone = 'error' | 'warning' | 'good' | 'strong' | 'faint' | 'name' | 'accent';

const FORMATS = {
  error: ['red', 'bold'],
  warning: 'yellow',
  good: 'green',
  strong: 'bold',
  faint: 'dim',
  name: 'cyan',
  accent: 'magenta',
} as const;

/** A text in a tone, or as it is where the stream has no colours. */
export type Paint = (tone: Tone, text: string) => string;

export const plain: Paint = (_tone, text) => text;

const inColour: Paint = (tone, text) =>
  text === '' ? '' : styleText(FORMATS[tone] as Parameters<typeof styleText>[0], text, { validateStream: false });

type Stream = Pick<NodeJS.WriteStream, 'isTTY'>;

export function paintFor(stream: Stream, env: NodeJS.ProcessEnv = process.env): Paint {
  if (isSet(env['NO_COLOR'])) return plain;
  if (isSet(env['FORCE_COLOR']) && env['FORCE_COLOR'] !== '0') return inColour;
  return stream.isTTY === true && env['TERM'] !== 'dumb' ? inColour : plain;
}

/** How progress is shown: redrawn in place, one line per step, or not at all. */
export type ProgressMode = 'live' | 'lines' | 'none';

export interface ProgressPlace {
  readonly mode: ProgressMode;
  readonly stream: NodeJS.WriteStream;
}

interface Streams {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}

/** Progress goes to stderr; to stdout only where that is the one terminal there is. */
export function progressPlace(streams: Streams = process, env: NodeJS.ProcessEnv = process.env): ProgressPlace {
  const { stdout, stderr } = streams;
  const plainOnly = env['TERM'] === 'dumb' || isSet(env['CI']);
  if (stderr.isTTY === true) return { mode: plainOnly ? 'lines' : 'live', stream: stderr };
  if (stdout.isTTY === true && !plainOnly) return { mode: 'live', stream: stdout };
  return { mode: isSet(env['CI']) ? 'lines' : 'none', stream: stderr };
}

/** The width of a stream's terminal; undefined where it is none, so that nothing is cut. */
export const columnsOf = (stream: NodeJS.WriteStream): number | undefined =>
  stream.isTTY === true ? Math.max(20, stream.columns ?? 80) : undefined;

const isSet = (value: string | undefined): boolean => value !== undefined && value !== '';
