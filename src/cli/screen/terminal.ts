// The abilities of the two output streams, and the styles that are used on them. The only place that reads NO_COLOR,
// TERM and CI. A style is a mark in the text, which becomes an escape sequence where the text is written (out.ts). The
// mark holds characters that are random in each process, so that no text can bring styles of its own.

export type TextTone = 'error' | 'warning' | 'good' | 'strong' | 'faint' | 'name' | 'accent';

/** The codes that begin and end a tone. */
const CODES: Readonly<Record<TextTone, readonly [begin: string, end: string]>> = {
  error: ['\u001b[31m\u001b[1m', '\u001b[22m\u001b[39m'],
  warning: ['\u001b[33m', '\u001b[39m'],
  good: ['\u001b[32m', '\u001b[39m'],
  strong: ['\u001b[1m', '\u001b[22m'],
  faint: ['\u001b[2m', '\u001b[22m'],
  name: ['\u001b[36m', '\u001b[39m'],
  accent: ['\u001b[35m', '\u001b[39m'],
};

/** A text in a tone, or unchanged if the stream has no colours. */
export type Paint = (tone: TextTone, text: string) => string;

export const plain: Paint = (_tone, text) => text;

const inColour: Paint = (tone, text) => (text === '' ? '' : `${marks().of(tone, 0)}${text}${marks().of(tone, 1)}`);

interface Marks {
  /** The marks for the beginning and the end of a tone. */
  of(tone: TextTone, side: 0 | 1): string;
  /** The text with escape sequences in place of the marks. */
  replaced(text: string): string;
}

let drawn: Marks | undefined;
const marks = (): Marks => (drawn ??= drawMarks());

/** Eight characters that cannot be guessed, then one that says which code is meant. */
function drawMarks(): Marks {
  const secret = [...crypto.getRandomValues(new Uint16Array(8))].map((one) => privateUse(one % 4096)).join('');
  const tones = Object.keys(CODES);
  const codeOf = new Map(
    Object.values(CODES).flatMap((codes, tone) =>
      codes.map((code, side) => [privateUse(tone * 2 + side), code] as const),
    ),
  );
  const mark = new RegExp(`${secret}(.)`, 'g');
  return {
    of: (tone, side) => secret + privateUse(tones.indexOf(tone) * 2 + side),
    replaced: (text) => text.replaceAll(mark, (_mark, which: string) => codeOf.get(which) ?? ''),
  };
}

const privateUse = (index: number): string => String.fromCharCode(0xe000 + index);

/** The text with its marks turned into escape sequences. The text must be harmless already. */
export const restyle = (text: string): string => drawn?.replaced(text) ?? text;

export function paintFor(stream: Pick<NodeJS.WriteStream, 'isTTY'>, env: NodeJS.ProcessEnv = process.env): Paint {
  if (isSet(env['NO_COLOR'])) return plain;
  if (isSet(env['FORCE_COLOR']) && env['FORCE_COLOR'] !== '0') return inColour;
  return stream.isTTY === true && env['TERM'] !== 'dumb' ? inColour : plain;
}

/** True if some CI service reads the output. */
export const isCi = (env: NodeJS.ProcessEnv = process.env): boolean =>
  isSet(env['CI']) || isSet(env['GITHUB_ACTIONS']) || isSet(env['TF_BUILD']) || isSet(env['TEAMCITY_VERSION']);

/** Progress goes to stderr; to stdout only if that is the only terminal. */
export function progressPlace(
  streams: { readonly stdout: NodeJS.WriteStream; readonly stderr: NodeJS.WriteStream } = process,
  env: NodeJS.ProcessEnv = process.env,
): { readonly mode: 'live' | 'lines' | 'none'; readonly stream: NodeJS.WriteStream } {
  const { stdout, stderr } = streams;
  const plainOnly = env['TERM'] === 'dumb' || isSet(env['CI']);
  if (stderr.isTTY === true) return { mode: plainOnly ? 'lines' : 'live', stream: stderr };
  if (stdout.isTTY === true && !plainOnly) return { mode: 'live', stream: stdout };
  return { mode: isSet(env['CI']) ? 'lines' : 'none', stream: stderr };
}

/** The width of a stream's terminal; undefined if it is not a terminal, so that nothing is cut. */
export const columnsOf = (stream: NodeJS.WriteStream): number | undefined =>
  stream.isTTY === true ? Math.max(20, stream.columns ?? 80) : undefined;

const isSet = (value: string | undefined): boolean => value !== undefined && value !== '';
