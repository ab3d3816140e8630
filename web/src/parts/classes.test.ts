// The classes of the page: a rule that no element takes is dead, and a class without a rule is lost without a word.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

const filesIn = (folder: string, ending: RegExp): readonly string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => ending.test(file))
    .map((file) => `${folder}/${file}`);
const textOf = (file: string): string =>
  readFileSync(join(ROOT, file), 'utf8').replaceAll(/^\s*\/\/.*$|\/\*[^]*?\*\//gm, '');

const FOLDERS = ['web/src', 'web/all-parts', 'web/export'];
const styles = FOLDERS.flatMap((folder) => filesIn(folder, /\.css$/));
const code = FOLDERS.flatMap((folder) => filesIn(folder, /(?<!\.test)\.tsx?$|\.js$/)).map(textOf);
const tests = filesIn('test/browser', /\.ts$/).map(textOf).join('\n');

/** Each class with the files that have a rule for it. */
const declared = new Map<string, string>();
for (const file of styles)
  for (const [, selector = ''] of textOf(file).matchAll(/([^{};]+)\{/g))
    if (!selector.trim().startsWith('@'))
      for (const [, name = ''] of selector.matchAll(/\.([a-z][\w-]*)/g)) declared.set(name, file);

/** A text; one that is compared with, or is the name of a property, says nothing. */
const LITERAL = /[=!]== '[^'\n]*'|'[^'\n]*' in |'([^'\n]*)'|"([^"\n]*)"/g;

/** The words of the texts in a piece of code, and the beginnings of words that end in a value: `s-` of `s-${family}`. */
function wordsIn(piece: string): readonly string[] {
  const templates = [...piece.matchAll(/`((?:[^`$]|\$(?!\{)|\$\{[^`]*?\})*)`/g)].map(([, text = '']) => text);
  const plain = [...piece.replaceAll(/-\$\{[^}]*\}/g, '').matchAll(LITERAL)].map(
    ([, one, other]) => one ?? other ?? '',
  );
  return [...plain, ...templates.map((text) => text.replaceAll(/\$\{[^}]*\}/g, '*'))].join(' ').split(/\s+/);
}

/** The words in the braces of `class={…}`, or between its quotes. */
function classesIn(text: string): readonly string[] {
  const pieces: string[] = [];
  for (const { index } of text.matchAll(/\bclass(?:Name)?=/g)) {
    const from = text.indexOf('=', index) + 1;
    if (text[from] === '"') {
      pieces.push(text.slice(from, text.indexOf('"', from + 1) + 1));
      continue;
    }
    let [end, depth] = [from, 0];
    do {
      if (text[end] === '{') depth++;
      if (text[end] === '}') depth--;
      end++;
    } while (depth > 0);
    pieces.push(text.slice(from, end));
  }
  return pieces.flatMap(wordsIn).filter((word) => /^[a-z][\w-]*\*?$/.test(word));
}

test('every class that a style has a rule for is taken by some element', () => {
  const words = new Set(code.flatMap(wordsIn));
  const beginnings = [...words].flatMap((word) => /([a-z]+-)\*$/.exec(word)?.[1] ?? []);
  const isTaken = (name: string): boolean =>
    words.has(name) || beginnings.some((one) => name.startsWith(one) && words.has(name.slice(one.length)));
  const dead = [...declared].filter(([name]) => !isTaken(name)).map(([name, file]) => `${file} .${name}`);
  expect(dead).toEqual([]);
});

test('every class that an element takes has a rule, or a test that looks for it', () => {
  const isKnown = (name: string): boolean =>
    name.endsWith('*')
      ? [...declared.keys()].some((one) => one.startsWith(name.slice(0, -1)))
      : declared.has(name) || new RegExp(`\\.${name}\\b`).test(tests);
  const unknown = new Set(code.flatMap(classesIn).filter((name) => !isKnown(name)));
  expect([...unknown]).toEqual([]);
});

test('a size of text is one of the tokens, or one of the few between them', () => {
  const sizes = styles.flatMap((file) => [...textOf(file).matchAll(/font-size: ([^;]*);/g)].map(([, size]) => size));
  expect([...new Set(sizes)].filter((size) => size?.startsWith('var(') !== true).sort()).toEqual([
    '0',
    '0.923em',
    '10.5px',
    '10px',
    '11.5px',
    '12.5px',
    '14px',
    '16px',
    '9px',
    'inherit',
  ]);
});
