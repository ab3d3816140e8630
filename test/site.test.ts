// The site of the docs is built as `npm run site` builds it. The build itself refuses dead links, pages that no list names
// and what would be fetched from another server: here each of these is tried, and the site that comes out is looked at.

import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fetchedElsewhere } from '../scripts/site/fetched-elsewhere.mjs';
import { stagedSite } from '../scripts/site/stage.mjs';
import { ROOT } from './support/fences.ts';

const home = mkdtempSync(join(tmpdir(), 'cadre-site-'));
const site = join(home, 'site');
afterAll(() => rmSync(home, { recursive: true, force: true }));

const filesOf = (folder: string): readonly string[] => readdirSync(folder, { recursive: true, encoding: 'utf8' });

describe('the site', () => {
  let said = '';
  beforeAll(async () => {
    const built = await promisify(execFile)(process.execPath, ['scripts/site.mjs', '--out', site], { cwd: ROOT });
    said = built.stdout;
  }, 240_000);

  test('every page of docs and examples is on it', () => {
    const pages = ['start', 'concepts', 'reference', 'decisions', 'internals'].flatMap((folder) =>
      readdirSync(join(ROOT, 'docs', folder)).map((file) => join(folder, file)),
    );
    const files = new Set(filesOf(site));
    expect(pages.length).toBeGreaterThan(100);
    const missing = pages
      .filter((file) => file.endsWith('.md'))
      .map((file) => file.replace(/README\.md$/, 'index.md').replace(/\.md$/, '.html'))
      .filter((file) => !files.has(file));
    expect(missing).toEqual([]);
    expect(said).toMatch(/^\d+ pages in /m);
  });

  test('its search is a file of its own, which knows the words of the pages', () => {
    const index = filesOf(site).find((file) => /localSearchIndex.*\.js$/.test(file)) ?? '';
    expect(readFileSync(join(site, index), 'utf8')).toContain('bubblewrap');
  });

  test('no link of a page leads to a file that is not there', () => {
    const files = new Set(filesOf(site));
    const pages = [...files].filter((file) => file.endsWith('.html') && file !== '404.html');
    const dead = pages.flatMap((page) =>
      [...readFileSync(join(site, page), 'utf8').matchAll(/\shref="\/([^"#]*)/g)]
        .map(([, target = '']) => (target === '' || target.endsWith('/') ? `${target}index.html` : decodeURI(target)))
        .filter((target) => !files.has(target))
        .map((target) => `${page}: ${target}`),
    );
    expect(dead).toEqual([]);
  });
});

describe('a mistake in the pages', () => {
  const pagesWith = (name: string, change: (folder: string) => void): readonly string[] => {
    const folder = join(home, name);
    for (const part of ['docs', 'examples', 'bench/results.md', 'CHANGELOG.md', 'CONTRIBUTING.md'])
      cpSync(join(ROOT, part), join(folder, part), { recursive: true });
    for (const part of ['schema', 'deploy', 'LICENSE', 'src', 'test'])
      mkdirSync(join(folder, part), { recursive: true });
    for (const part of ['schema', 'deploy']) cpSync(join(ROOT, part), join(folder, part), { recursive: true });
    change(folder);
    return stagedSite(folder, join(home, `${name}-stage`)).problems;
  };

  test('none is found in the pages as they are', () => {
    expect(pagesWith('whole', () => {})).toEqual([]);
  });

  test('a page that no list names is one', () => {
    const problems = pagesWith('unlisted', (folder) =>
      writeFileSync(join(folder, 'docs/concepts/lost.md'), '# Lost\n\nNobody leads here.\n'),
    );
    expect(problems).toEqual([expect.stringContaining('docs/concepts/lost.md is in no list')]);
  });

  test('a link to what is not there is one', () => {
    const problems = pagesWith('dead', (folder) =>
      writeFileSync(join(folder, 'docs/concepts/router.md'), '# Router\n\n[Gone](gone.md)\n'),
    );
    expect(problems).toEqual(['docs/concepts/router.md links to gone.md, which is not there']);
  });
});

test.each([
  ['page.html', '<script src="https://cdn.example.org/a.js"></script>'],
  ['page.html', '<link rel="preload" as="font" href="//fonts.example.org/a.woff2">'],
  ['page.html', '<img alt="" src="http://example.org/a.png">'],
  ['style.css', '@import url("https://fonts.example.org/css");'],
  ['style.css', '@font-face { src: url(https://fonts.example.org/a.woff2) }'],
])('%s would fetch something by %s, and that is found', (file, text) => {
  expect(fetchedElsewhere(file, text)).toHaveLength(1);
});

test('a link and a file of the site itself are not fetched from elsewhere', () => {
  const text =
    '<a href="https://example.org">x</a><script src="/assets/a.js"></script><img src="data:image/png;base64,x">';
  expect(fetchedElsewhere('page.html', text)).toEqual([]);
});
