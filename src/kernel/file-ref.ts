// A picture or a document of a conversation, as records have it. Its bytes lie in the store, under the digest.
// FILE-1. A line stands for each file in the text that it came with. The line stays where the file is not shown.
// FILE-2. What a file costs follows from its pixels or pages, never from its bytes.

import { escapeUnseen } from '../base/text/escape-unseen.ts';
import { bytesText, size } from '../base/text/words.ts';

export const FILE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'application/pdf'] as const;

type FileType = (typeof FILE_TYPES)[number];

/** The kinds that models tell apart. */
export const FILE_KINDS = ['image', 'pdf'] as const;
export type FileKind = (typeof FILE_KINDS)[number];

export interface FileRef {
  /** The SHA-256 of its bytes, in hex. */
  readonly digest: string;
  /** The type that its bytes say. */
  readonly type: FileType;
  readonly name: string;
  readonly bytes: number;
  readonly width?: number;
  readonly height?: number;
  readonly pages?: number;
}

export const kindOfFile = ({ type }: Pick<FileRef, 'type'>): FileKind => (type === 'application/pdf' ? 'pdf' : 'image');

/** The most files of a request, and of a conversation that are shown: the newest ones. */
export const MOST_FILES = 20;

/** The bytes of all files of a request. */
export const MOST_REQUEST_BYTES = 24 * 1_048_576;

export const tooManyBytesWords = (): string =>
  `The files have more than ${size(MOST_REQUEST_BYTES)} together, which is the most of a request.`;

/** Names are data of whoever sent the file, so nothing in one can end its line or its brackets. */
const nameInLine = (name: string): string =>
  escapeUnseen(name).replace(/[[\]]/g, (bracket) => (bracket === '[' ? '(' : ')'));

const amountOf = ({ width, height, pages }: FileRef): string => {
  if (width !== undefined && height !== undefined) return `, ${width}×${height}`;
  return pages === undefined ? '' : `, ${pages} ${pages === 1 ? 'page' : 'pages'}`;
};

/** `shot.png, image/png, 84 kB, 1280×720` */
export const fileWords = (file: FileRef): string =>
  `${nameInLine(file.name)}, ${file.type}, ${bytesText(file.bytes)}${amountOf(file)}`;

/** FILE-1. The lines of files that came together, which are numbered from 1. */
export const fileLines = (files: readonly FileRef[]): string =>
  files.map((file, index) => `[file ${index + 1}: ${fileWords(file)}]`).join('\n');

export const withFileLines = (text: string, files: readonly FileRef[] | undefined): string =>
  files === undefined || files.length === 0 ? text : `${text}\n\n${fileLines(files)}`;

/** The rule by which a provider counts the pixels and pages of a model. */
export type FileRule =
  | 'anthropic'
  /** Anthropic's patches of 28 pixels, for models that see larger pictures. */
  | 'anthropic-large'
  | 'gemini-2'
  | 'gemini-3'
  /** OpenAI's tiles of 512 pixels: the tokens of a picture, and of each tile. */
  | `tiles-${number}-${number}`
  /** OpenAI's patches of 32 pixels, times this; at most 1,536 of them, or the second number. */
  | `patches-${number}`
  | `patches-${number}-${number}`
  | 'unknown';

/** The tokens that are reserved where no rule is known. */
const UNKNOWN_PICTURE = 6_000;
const UNKNOWN_PAGE = 4_000;

/** The input tokens that a file costs by the rule. */
export function fileTokens(file: FileRef, rule: FileRule = 'unknown'): number {
  if (kindOfFile(file) === 'pdf') return (file.pages ?? 1) * pageTokens(rule);
  const { width, height } = file;
  if (width === undefined || height === undefined || width < 1 || height < 1) return UNKNOWN_PICTURE;
  return pictureTokens(width, height, rule);
}

function pageTokens(rule: FileRule): number {
  switch (rule) {
    case 'anthropic':
    case 'anthropic-large':
      return 3_000 + MOST_OF_ANTHROPIC; // its text, and the page as a picture
    case 'gemini-2':
      return 258;
    case 'gemini-3':
      return 560;
    default:
      return UNKNOWN_PAGE;
  }
}

const MOST_OF_ANTHROPIC = 1_600;
const MOST_OF_ANTHROPIC_LARGE = 4_784;

function pictureTokens(width: number, height: number, rule: FileRule): number {
  switch (rule) {
    case 'anthropic': {
      const [w, h] = within(width, height, 1_568);
      return Math.min(MOST_OF_ANTHROPIC, Math.ceil((w * h) / 750));
    }
    case 'anthropic-large': {
      const [w, h] = within(width, height, 2_576);
      return Math.min(MOST_OF_ANTHROPIC_LARGE, Math.ceil(w / 28) * Math.ceil(h / 28));
    }
    case 'gemini-2': {
      if (width <= 384 && height <= 384) return 258;
      const unit = Math.min(768, Math.max(256, Math.floor(Math.min(width, height) / 1.5)));
      return Math.ceil(width / unit) * Math.ceil(height / unit) * 258;
    }
    case 'gemini-3':
      return 1_120;
    case 'unknown':
      return UNKNOWN_PICTURE;
    default:
      return openAiTokens(width, height, rule);
  }
}

type OpenAiRule = Extract<FileRule, `tiles-${string}` | `patches-${string}`>;

function openAiTokens(width: number, height: number, rule: OpenAiRule): number {
  const [form, first = '0', second] = rule.split('-');
  if (form === 'patches') {
    const patches = Math.ceil(width / 32) * Math.ceil(height / 32);
    return Math.ceil(Math.min(Number(second ?? 1_536), patches) * Number(first));
  }
  const [w, h] = within(width, height, 2_048);
  const scale = Math.min(1, 768 / Math.min(w, h));
  const tiles = Math.ceil((w * scale) / 512) * Math.ceil((h * scale) / 512);
  return Number(first) + tiles * Number(second);
}

/** The sides of a picture that is made smaller until its longer side fits. */
function within(width: number, height: number, longest: number): readonly [number, number] {
  const scale = Math.min(1, longest / Math.max(width, height));
  return [width * scale, height * scale];
}

/** The eyes of an agent: the kinds of files that a model of its list sees, and the rules by which those are counted. */
export interface Sight {
  readonly sees: readonly FileKind[];
  readonly rules: readonly FileRule[];
}

/** The tokens that files take of a window: what the dearest of the rules says, and nothing for those that nobody sees. */
export function shownTokens(files: readonly FileRef[] | undefined, sight: Sight | undefined): number {
  if (files === undefined || sight === undefined) return 0;
  return files
    .filter((file) => sight.sees.includes(kindOfFile(file)))
    .reduce((sum, file) => sum + Math.max(...sight.rules.map((rule) => fileTokens(file, rule))), 0);
}
