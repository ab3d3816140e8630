// The moving picture of the live tree: the script of it runs an example and writes an SVG that a browser can show.

import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
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
    expect(svg).not.toMatch(/cadre show \d/);
    const frames = svg.match(/<g class="f/g)?.length ?? 0;
    expect(frames).toBeGreaterThan(3);
    expect(svg.match(/@keyframes/g)).toHaveLength(frames);
    expect(svg).toContain('@media (prefers-reduced-motion:reduce){.f{animation:none}.last{visibility:visible}}');
    expect(svg.match(/class="f last"/g)).toHaveLength(1);
  },
);
