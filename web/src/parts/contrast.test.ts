// Contrast, computed over the tokens: text at least 4.5 : 1 on each ground that it stands on, bars and the borders of
// fields 3 : 1, in both modes.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const css = readFileSync(new URL('../style/tokens.css', import.meta.url), 'utf8');
const [light = '', dark = ''] = css.split('@media (prefers-color-scheme: dark)');
const coloursIn = (text: string): ReadonlyMap<string, string> =>
  new Map([...text.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name = '', value = '']) => [name, value]));

const MODES = [
  ['light', coloursIn(light)],
  ['dark', new Map([...coloursIn(light), ...coloursIn(dark)])],
] as const;

/** Relative luminance and contrast as WCAG 2 defines them. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [bright, dim] = [luminance(one), luminance(other)].sort((left, right) => right - left) as [number, number];
  return (bright + 0.05) / (dim + 0.05);
}

const GROUNDS = ['ground', 'paper', 'sunk'] as const;
const FAMILIES = ['good', 'live', 'limit', 'bad', 'doubt', 'plain'] as const;
const EDGES = ['e-advisors', 'e-router', 'e-next', 'e-agents', 'e-team', 'e-handoff'] as const;

const pairs = (texts: readonly string[], grounds: readonly string[]): readonly (readonly [string, string])[] =>
  texts.flatMap((text) => grounds.map((ground) => [text, ground] as const));

const TEXT = [
  ...pairs(['ink', 'ink-2', 'ink-3', 'accent', ...FAMILIES], GROUNDS),
  ...pairs(EDGES, ['ground', 'paper']), // tags and labels of the graph stand in no well
  ...pairs(['ink', 'ink-2', 'accent'], ['accent-wash']),
  ...FAMILIES.flatMap((family) => pairs([family, 'ink'], [`${family}-wash`])),
  ...pairs(['on-accent'], ['accent']),
];
const SHAPES = pairs(['model', 'tool', 'person', 'span', 'field'], ['ground', 'paper']);

test.each(MODES)('text and shapes can be told from what they stand on: %s', (_mode, colours) => {
  const low = (of: readonly (readonly [string, string])[], least: number): readonly string[] =>
    of.flatMap(([text, ground]) => {
      const [front, back] = [colours.get(text), colours.get(ground)];
      if (front === undefined || back === undefined) return [`${text} or ${ground} is not a token`];
      const found = contrast(front, back);
      return found < least ? [`${text} on ${ground}: ${found.toFixed(2)}`] : [];
    });
  expect(low(TEXT, 4.5)).toEqual([]);
  expect(low(SHAPES, 3)).toEqual([]);
});
