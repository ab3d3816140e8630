// The moving picture of the live tree: the script of it runs an example and writes an SVG that a browser can show.

import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { folderWith } from './support/cli.ts';
import { built } from './support/dist.ts';
import { ROOT } from './support/fences.ts';
import { noTerminal } from './support/terminal.ts';

test.skipIf(noTerminal() !== undefined)(
  'an example becomes a picture: frames, and one of them for less motion',
  async () => {
    built('cli/main.js');
    const folder = mkdtempSync(join(tmpdir(), 'cadre-picture-test-'));
    const out = join(folder, 'tree.svg');
    const args = ['scripts/picture.mjs', '--out', out, 'examples/lighthouse/detective.md', 'Who <took> the oil & why?'];
    await promisify(execFile)(process.execPath, args, { cwd: ROOT });
    const svg = readFileSync(out, 'utf8');
    rmSync(folder, { recursive: true });
    expect(svg).toContain('cadre run detective.md "Who &lt;took> the oil &amp; why?"');
    expect(svg).toContain('Nobody stole the oil');
    expect(svg).not.toMatch(/cadre show \d|tmp/);
    const frames = svg.match(/<g class="f/g)?.length ?? 0;
    expect(frames).toBeGreaterThan(3);
    expect(svg.match(/@keyframes/g)).toHaveLength(frames);
    expect(svg).toContain('@media (prefers-reduced-motion:reduce){.f{animation:none}.last{visibility:visible}}');
    expect(svg.match(/class="f last"/g)).toHaveLength(1);
  },
);

/** The rows of the last frame, as they are read. */
function lastRows(svg: string): readonly string[] {
  const [, frame = ''] = /<g class="f last"[^>]*>(.*?)<\/g>/.exec(svg) ?? [];
  const texts = new Map(
    [...svg.matchAll(/<text id="(r\d+)">(.*?)<\/text>/g)].map(([, id = '', inner = '']) => [id, inner] as const),
  );
  return [...frame.matchAll(/href="#(r\d+)"/g)].map(([, id = '']) => (texts.get(id) ?? '').replaceAll(/<[^>]*>/g, ''));
}

test.skipIf(noTerminal() !== undefined)(
  'a long line is broken between words, and the picture ends on the answer',
  async () => {
    built('cli/main.js');
    const words = Array.from({ length: 60 }, (_, index) => `word-${'x'.repeat(index % 13)}${index}`);
    const here = folderWith({
      'cadre.yaml': 'providers: { demo: { kind: scripted, script: ./s.yaml } }\ndefaults: { models: [demo/any] }\n',
      's.yaml': `any: [{ answer: "${words.join(' ')}" }]\n`,
      'a.md': '---\ndescription: d\n---\nYou are a.\n',
    });
    const out = join(here.path, 'tree.svg');
    await promisify(execFile)(process.execPath, ['scripts/picture.mjs', '--out', out, join(here.path, 'a.md'), 'Go.'], {
      cwd: ROOT,
    });
    const rows = lastRows(here.read('tree.svg'));
    here.remove();
    const answer = rows.slice(rows.findIndex((row) => row.startsWith('word-')));
    expect(answer.length).toBeGreaterThan(3);
    expect(answer.join(' ').split(' ')).toEqual(words);
  },
);
