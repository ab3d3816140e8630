import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonOf, type Stretch } from '../../base/yaml/node.ts';
import { type Diagnostic, diagnosticOf } from '../diagnostic.ts';
import { placeOf } from '../source.ts';
import { opensFrontmatter, parseFrontmatter } from './frontmatter.ts';

function read(text: string) {
  const source = { file: 'a.md', text };
  const found: Diagnostic[] = [];
  const { fields, body } = parseFrontmatter(source, (finding) => found.push(diagnosticOf(finding)));
  const place = (at: Stretch | undefined) => (at === undefined ? undefined : placeOf(source, at));
  return { fields, body, found, place };
}

const told = (found: readonly Diagnostic[]) => found.map(({ code, line, column }) => `${code} ${line}:${column}`);

test('every key and every value has its line and column in the file', () => {
  const { fields, body, place } = read('---\ndescription: "Hello"\nteam:\n  members: [a, bb]\n---\nYou are a.\n');
  expect(place(fields?.entries.get('description'))).toEqual({ line: 2, column: 1, endColumn: 12 });
  expect(place(fields?.entries.get('description')?.value)).toEqual({ line: 2, column: 14, endColumn: 21 });
  const team = fields?.entries.get('team')?.value;
  const members = team?.kind === 'map' ? team.entries.get('members') : undefined;
  expect(place(members)).toEqual({ line: 4, column: 3, endColumn: 10 });
  expect(place(members?.value.kind === 'list' ? members.value.items[1] : undefined)).toEqual({
    line: 4,
    column: 16,
    endColumn: 18,
  });
  expect(body).toBe('You are a.');
});

test('the full parser gives the same places as the quick one', () => {
  const { fields, place } = read('---\ndescription: >\n  Long\n  text\nmaxTurns: 7\n---\nx');
  expect(place(fields?.entries.get('maxTurns')?.value)).toEqual({ line: 5, column: 11, endColumn: 12 });
});

test('a byte order mark and CRLF line ends change nothing', () => {
  const { fields, body, found, place } = read('\uFEFF---\r\nchat: true\r\nmaxTurns: 3\r\n---\r\nHello\r\n');
  expect(found).toEqual([]);
  expect(fields && jsonOf(fields)).toEqual({ chat: true, maxTurns: 3 });
  expect(place(fields?.entries.get('maxTurns')?.value)).toEqual({ line: 3, column: 11, endColumn: 12 });
  expect(body).toBe('Hello');
});

test('a --- inside the body belongs to the body', () => {
  expect(read('---\nchat: true\n---\none\n---\ntwo\n').body).toBe('one\n---\ntwo');
});

test('frontmatter that is never closed is told at its opening', () => {
  expect(told(read('---\nchat: true\nHello\n').found)).toEqual(['frontmatter/unclosed 1:1']);
  expect(told(read('---').found)).toEqual(['frontmatter/unclosed 1:1']);
});

test('a file without a body is warned of at its closing line', () => {
  const { found } = read('---\nchat: true\n---\n  \n');
  expect(told(found)).toEqual(['body/empty 3:1']);
  expect(found[0]?.severity).toBe('warning');
});

test('empty frontmatter is an agent without keys', () => {
  const { fields, found } = read('---\n---\nHello');
  expect(found).toEqual([]);
  expect(fields?.entries.size).toBe(0);
});

test.each([
  ['a tab as indentation', '---\nteam:\n\tmembers: [a]\n---\nx', 'yaml/syntax 3:1'],
  ['an unclosed quote', '---\nchat: true\nusage: "abc\n---\nx', 'yaml/syntax 4:1'],
  ['a colon in a plain text', '---\nusage: a: b\n---\nx', 'yaml/syntax 2:8'],
  ['an unclosed bracket', '---\nagents: [a\nchat: true\n---\nx', 'yaml/syntax'],
  ['a key given twice', '---\nchat: true\nusage: x\nchat: false\n---\nx', 'yaml/duplicate-key 4:1'],
  ['a tag', '---\nusage: !!js/function "x"\n---\nx', 'yaml/syntax 2:8'],
  ['a list', '---\n- a\n- b\n---\nx', 'frontmatter/not-keys 2:1'],
  ['a text', '---\njust words\n---\nx', 'frontmatter/not-keys 2:1'],
])('%s is told with its place', (_name, text, expected) => {
  expect(told(read(text).found)[0]).toMatch(new RegExp(`^${expected}`));
});

test('the second of two equal keys is told with the line of the first', () => {
  const { found } = read('---\nchat: true\nusage: x\nchat: false\n---\nx');
  expect(found[0]?.message).toBe('"chat" is given twice; the first is on line 2');
});

test('a few lines that stand for millions of values are refused', () => {
  const levels = Array.from(
    { length: 12 },
    (_, i) =>
      `a${i + 1}: &a${i + 1} [${Array(9)
        .fill(i === 0 ? 'x' : `*a${i}`)
        .join(', ')}]`,
  );
  const { found } = read(`---\n${levels.join('\n')}\n---\nx`);
  expect(told(found).some((one) => one.startsWith('yaml/too-large'))).toBe(true);
});

test('an anchor that holds itself is refused', () => {
  expect(told(read('---\na: &x [*x]\n---\nx').found)).toEqual(['yaml/alias 2:8']);
});

test.each([
  ['brackets', '['.repeat(200_000)],
  ['closed brackets', `${'['.repeat(20_000)}${']'.repeat(20_000)}`],
  ['objects', '{a: '.repeat(50_000)],
  ['lists', `\n${'- '.repeat(100_000)}`],
])('%s nested by the thousand are refused at once', (_name, value) => {
  expect(read(`---\na: ${value}\n---\nx`).found.map(({ code }) => code)).toEqual(['yaml/too-deep']);
});

test('frontmatter of many hundred kilobytes is refused', () => {
  expect(told(read(`---\nusage: ${'x'.repeat(300_000)}\n---\nx`).found)).toEqual(['yaml/too-large 2:1']);
});

test('lines nested by the thousand are refused', () => {
  const lines = Array.from({ length: 600 }, (_, depth) => `${' '.repeat(depth)}k:`).join('\n');
  const [first] = read(`---\n${lines}\n---\nx`).found;
  expect(['yaml/syntax', 'yaml/too-large']).toContain(first?.code);
});

test('keys like __proto__ are keys like any other', () => {
  const { fields } = read('---\n__proto__: { polluted: true }\nconstructor: 1\n---\nx');
  expect([...(fields?.entries.keys() ?? [])]).toEqual(['__proto__', 'constructor']);
  expect(Object.hasOwn(jsonOf(fields!) as object, '__proto__')).toBe(true);
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});

test('only a first line of three dashes opens frontmatter', () => {
  expect(['---\n', '---', '--- \r\n', '\uFEFF---\nx'].map(opensFrontmatter)).toEqual([true, true, true, true]);
  expect(['# Title', '----\n', '---js\n', '\n---\n', ' ---\n', ''].some(opensFrontmatter)).toBe(false);
});

test('no text makes it throw, and every finding has a place in the text', () => {
  const yamlish = fc
    .array(
      fc.constantFrom(
        'a',
        ': ',
        '\n',
        '  ',
        '- ',
        '[',
        ']',
        '{',
        '}',
        '"',
        "'",
        '&x ',
        '*x',
        '!',
        '|',
        '>',
        '#',
        '%',
        '\t',
        '\r',
        '---',
        '?',
        ',',
        '\u0000',
        '😀',
        '__proto__',
      ),
    )
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), yamlish), (inside) => {
      const text = `---\n${inside}\n---\nbody`;
      for (const { line, column } of read(text).found) {
        const lines = text.split('\n');
        expect(line).toBeGreaterThanOrEqual(1);
        expect(line).toBeLessThanOrEqual(lines.length);
        expect(column).toBeLessThanOrEqual((lines[line - 1]?.length ?? 0) + 1);
      }
    }),
    { numRuns: 1000 },
  );
});
