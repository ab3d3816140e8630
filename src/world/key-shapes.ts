// Keys that can be told by their looks, whoever configured them. Each begins with letters that hardly anything else
// begins with, so that a text without keys is passed over quickly.

interface KeyShape {
  readonly name: string;
  /** What it begins with, as plain text. */
  readonly starts: readonly string[];
  /** What follows, as the source of a regular expression. */
  readonly rest: string;
}

const SHAPES: readonly KeyShape[] = [
  // OpenAI, Anthropic, OpenRouter and many that imitate them. A digit tells a key from a word like sk-learn.
  { name: 'sk-key', starts: ['sk-'], rest: '(?=[A-Za-z0-9_-]*[0-9])[A-Za-z0-9_-]{20,}' },
  { name: 'stripe-key', starts: ['sk_live_', 'rk_live_', 'sk_test_'], rest: '[A-Za-z0-9]{16,}' },
  { name: 'google-key', starts: ['AIza'], rest: '[A-Za-z0-9_-]{35}' },
  { name: 'github-token', starts: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], rest: '[A-Za-z0-9]{36,}' },
  { name: 'github-token', starts: ['github_pat_'], rest: '[A-Za-z0-9_]{22,}' },
  { name: 'gitlab-token', starts: ['glpat-'], rest: '[A-Za-z0-9_-]{20,}' },
  { name: 'aws-key', starts: ['AKIA', 'ASIA'], rest: '[A-Z0-9]{16}(?![A-Za-z0-9])' },
  { name: 'slack-token', starts: ['xoxb-', 'xoxp-', 'xoxa-', 'xoxr-', 'xoxs-'], rest: '[A-Za-z0-9-]{10,}' },
  { name: 'npm-token', starts: ['npm_'], rest: '[A-Za-z0-9]{36}' },
  { name: 'huggingface-token', starts: ['hf_'], rest: '[A-Za-z0-9]{30,}' },
  { name: 'jwt', starts: ['eyJ'], rest: '[A-Za-z0-9_-]{8,}\\.eyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{8,}' },
  {
    name: 'private-key',
    starts: ['-----BEGIN '],
    rest: '[A-Z ]{0,40}PRIVATE KEY-----[^-]{1,20000}-----END [A-Z ]{0,40}PRIVATE KEY-----',
  },
];

const escaped = (text: string): string => text.replace(/[\\^$.|?+*()[\]{}]/g, '\\$&');

const oneOf = ({ starts }: KeyShape): string =>
  starts.length === 1 ? escaped(starts[0] ?? '') : `(?:${starts.map(escaped).join('|')})`;

const NO_LETTER_BEFORE = '(?<![A-Za-z0-9])';

/** All shapes, as the source of a regular expression. */
export const KEY_SHAPES = `${NO_LETTER_BEFORE}(?:${SHAPES.map((shape) => oneOf(shape) + shape.rest).join('|')})`;

/** What every key begins with. */
export const KEY_STARTS: readonly string[] = SHAPES.flatMap(({ starts }) => starts);

/** A key that has begun and may go on after the end of the text. */
export const OPEN_KEY = new RegExp(
  `${NO_LETTER_BEFORE}(?:(?:${KEY_STARTS.slice(0, -1).map(escaped).join('|')})[A-Za-z0-9_.-]*|-----BEGIN [^]*)$`,
);

export function shapeName(key: string): string {
  return SHAPES.find(({ starts }) => starts.some((start) => key.startsWith(start)))?.name ?? 'key';
}
