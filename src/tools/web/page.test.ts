import { expect, test } from 'vitest';
import { readPage } from './page.ts';

const read = (html: string) => readPage(html, 'https://example.com/docs/page.html');
const sentence = 'The harbour was built in three years by people from the town. ';

test('the readable part of an article, without menus and scripts, with addresses in full', () => {
  const { title, markdown } =
    read(`<!doctype html><html><head><title>The  harbour</title><script>evil()</script></head><body>
    <nav><a href="/">Home</a></nav>
    <article><h1>The harbour</h1><p>${sentence.repeat(8)}</p><p>See <a href="plans.html">the plans</a>
    and <a href="javascript:alert(1)">this</a>.</p><img alt="a ship" src="/ship.png"><img src="data:image/png;base64,AAAA">
    <pre><code>make harbour</code></pre></article><footer>Imprint</footer></body></html>`);
  expect(title).toBe('The harbour');
  expect(markdown).toContain(sentence.trim());
  expect(markdown).toContain('[the plans](https://example.com/docs/plans.html)');
  expect(markdown).toContain('![a ship](https://example.com/ship.png)');
  expect(markdown).toContain('```\nmake harbour\n```');
  expect(markdown).not.toMatch(/evil|javascript:|data:|Home|Imprint/);
});

test('a page that is no article is given whole, and tables are tables', () => {
  const { markdown } = read(`<html><body><h2>Prices</h2><table><tr><th>what</th><th>how much</th></tr>
    <tr><td>rope</td><td>3 | 4</td></tr></table></body></html>`);
  expect(markdown).toBe('## Prices\n\n| what | how much |\n| --- | --- |\n| rope | 3 \\| 4 |');
});

test.each(['', 'plain words', '<p>a', '<html>', '</div></p>'])('%j is read', (html) => {
  expect(read(html).markdown).toBe(html.replace(/<[^>]*>/g, ''));
});

test('a page that is nested too deep for its readable part is given as plain text', () => {
  const { markdown } = read(
    `<html><body>${'<div>'.repeat(300)}deep<script>evil()</script>${'</div>'.repeat(300)}</body></html>`,
  );
  expect(markdown).toBe('deep');
});
