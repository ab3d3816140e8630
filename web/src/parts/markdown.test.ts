// Markdown becomes nodes, and nothing in it becomes markup.

import type { ComponentChildren, VNode } from 'preact';
import { expect, test } from 'vitest';
import { Markdown, plainMarkdown } from './markdown.tsx';

/** The nodes as text, with the names of their elements and what they point to. */
function shown(node: ComponentChildren): string {
  if (Array.isArray(node)) return node.map(shown).join('');
  if (node === null || node === undefined || typeof node === 'boolean') return '';
  if (typeof node !== 'object') return String(node);
  const { type, props } = node as VNode<{ children?: ComponentChildren; href?: string; src?: string }>;
  const inner = shown(props.children);
  if (typeof type !== 'string') return inner;
  const points = [props.href, props.src].filter((to) => to !== undefined).map((to) => ` ${to}`);
  return `<${type}${points.join('')}>${inner}</${type}>`;
}

const markdown = (text: string): string => shown(Markdown({ text }));

test('headings, lists, code and tables become elements', () => {
  expect(markdown('# Title\n\n- one\n- **two**')).toBe(
    '<div><p>Title</p><ul><li><span>one</span></li><li><span><strong>two</strong></span></li></ul></div>',
  );
  expect(markdown('| a |\n|---|\n| `b` |')).toContain('<td><code>b</code></td>');
});

test.each([
  '<img src=x onerror=alert(1)>',
  '<script>alert(1)</script>',
  'a <b onclick="x()">bold</b> word',
  '<style>*{display:none}</style>',
])('HTML is text: %s', (text) => {
  const found = markdown(text);
  expect(found).toContain(text);
  expect(found.replaceAll(text, '')).not.toMatch(/<(?:img|script|style|b)\b/);
});

test('an image is not loaded: its text and address are shown', () => {
  expect(markdown('![map](https://example.com/a.png)')).toBe(
    '<div><p><span>[image: map] <span>(https://example.com/a.png)</span></span></p></div>',
  );
});

test('a link shows where it goes', () => {
  expect(markdown('[here](https://example.com/x)')).toContain(
    '<a https://example.com/x>here</a><span> (https://example.com/x)</span>',
  );
});

test.each(['javascript:alert(1)', 'data:text/html,x', 'JaVaScRiPt:alert(1)', 'file:///etc/passwd', '/runs/last'])(
  'a link to %s leads nowhere',
  (href) => {
    expect(markdown(`[here](${href})`)).not.toContain('<a ');
  },
);

test('names of signs are shown as signs, and in code as they were written', () => {
  expect(markdown('`a < b && c` & "d" < e')).toBe('<div><p><code>a < b && c</code> & "d" < e</p></div>');
  expect(markdown('`&lt;`')).toBe('<div><p><code>&lt;</code></p></div>');
});

test('a task stands on the line of its mark, also in a list with paragraphs', () => {
  expect(markdown('- [ ] one\n- [x] two')).toBe(
    '<div><ul><li><span>☐ </span><span>one</span></li><li><span>☑ </span><span>two</span></li></ul></div>',
  );
  expect(markdown('- [x] one\n\n- two')).toContain('<li><span>☑ </span><p>one</p></li>');
});

test('as plain text a block is a line, and a table is its first row', () => {
  const text =
    '## Plan\n\nPay **17** `EUR`, see [it](https://a.b).\n\n- [x] seen\n- paid\n\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |';
  expect(plainMarkdown(text)).toBe('Plan\nPay 17 EUR, see it.\n☑ seen\npaid\n1, 2 …');
  expect(plainMarkdown('a &amp; b')).toBe('a & b');
});
