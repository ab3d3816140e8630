// What the page costs: bytes, and times in a real browser on this machine with the built server. The bars are those of its
// design; what is measured here is printed beside them.

import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';
import { browserProgram } from '../test/browser/support/chromium.mjs';
import { longJournal, wideJournal } from '../test/browser/support/journals.mjs';
import { plainRows } from '../test/browser/support/plain-rows.mjs';

const dist = fileURLToPath(new URL('../dist', import.meta.url));
const ROUNDS = 3;

/** A table: what, its bar, and what was measured. */
export async function pageBench() {
  const folder = mkdtempSync(join(tmpdir(), 'cadre-bench-page-'));
  let server;
  let browser;
  try {
    store(folder, 'long', longJournal('long', 10_000));
    store(folder, 'rows', longJournal('rows', 20_000));
    store(folder, 'wide', wideJournal('wide', 1000));
    writeFileSync(join(folder, 'clerk.md'), '---\ndescription: Does it.\n---\nGo.\n');
    server = spawn(process.execPath, [join(dist, 'cli/main.js'), 'serve', folder, '--port', '0'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const openUrl = await new Promise((resolve) => createInterface({ input: server.stdout }).once('line', resolve));
    const { path, env, args } = browserProgram();
    browser = await chromium.launch({
      executablePath: path,
      env: { ...process.env, ...env },
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', ...args],
    });
    const rows = [...bytes(), ...(await times(browser, openUrl))];
    return {
      text: ['| what | bar | measured |', '|---|---|---|', ...rows.map((row) => `| ${row.join(' | ')} |`)].join('\n'),
    };
  } finally {
    await browser?.close();
    server?.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}

function store(folder, run, events) {
  mkdirSync(join(folder, '.cadre/runs', run), { recursive: true });
  const lines = events.map((event) => `${JSON.stringify(event)}\n`).join('');
  writeFileSync(join(folder, '.cadre/runs', run, 'events.jsonl'), lines);
}

function bytes() {
  const assets = join(dist, 'page/assets');
  const html = readFileSync(join(dist, 'page/index.html'), 'utf8');
  const sizes = readdirSync(assets).map((file) => ({ file, size: gzipSync(readFileSync(join(assets, file))).length }));
  const sum = (of) => of.reduce((all, { size }) => all + size, 0);
  const kB = (size) => `${(size / 1000).toFixed(1)} kB`;
  return [
    ['script and style, gzipped', '120 kB', kB(sum(sizes.filter(({ file }) => html.includes(file))))],
    ['all that may be loaded, gzipped', '', kB(sum(sizes))],
  ];
}

async function times(browser, openUrl) {
  const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
  await page.goto(openUrl);
  const paint = await median(async () => {
    await page.goto(new URL('/runs', openUrl).href);
    for (;;) {
      const at = await page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime");
      if (at !== undefined) return at;
      await page.waitForTimeout(20);
    }
  });
  const opened = async (run, mark) => {
    await page.goto(new URL(`/runs/${run}?level=ops`, openUrl).href);
    const name = `cadre:${mark}:${run}`;
    for (;;) {
      const at = await page.evaluate(`performance.getEntriesByName('${name}').at(-1)?.startTime`);
      if (at !== undefined) return at;
      await page.waitForTimeout(20);
    }
  };
  const rows = await median(() => opened('long', 'rows'));
  const whole = await median(() => opened('long', 'whole'));
  const wide = await median(() => opened('wide', 'whole'));
  const plain = await plainRows(page, 10_000);
  await opened('rows', 'whole');
  const frames = await page.evaluate(SCROLL);
  const late = frames.filter((ms) => ms > 25).length;
  const ms = (time) => `${Math.round(time)} ms`;
  return [
    ['first paint on loopback', '300 ms', ms(paint)],
    ['first rows of 10,000 events', '400 ms', ms(rows)],
    ['all of 10,000 events', '1 s', ms(whole)],
    ['all of 8,004 events in 1,001 sessions', '', ms(wide)],
    ['10,000 plain rows drawn, for comparison', '', ms(plain)],
    ['frames that came late in a 2 s scroll over 10,000 rows', '0', `${late} of ${frames.length}`],
  ];
}

async function median(measure) {
  const found = [];
  for (let round = 0; round < ROUNDS; round++) found.push(await measure());
  return found.toSorted((one, other) => one - other)[Math.floor(ROUNDS / 2)];
}

/** Scrolls for two seconds, and gives the time between frames. */
const SCROLL = `new Promise((resolve) => {
  const box = document.querySelector('[role=treegrid]');
  const frames = [];
  const far = box.scrollHeight - box.clientHeight;
  let last = performance.now();
  const began = last;
  const step = (now) => {
    frames.push(now - last);
    last = now;
    box.scrollTop = ((now - began) / 2000) * far;
    if (now - began < 2000) requestAnimationFrame(step);
    else resolve(frames.slice(1));
  };
  requestAnimationFrame(step);
})`;
