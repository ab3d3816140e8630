// What the page costs: bytes, and times in a real browser on this machine with the built server. The bars are those of its
// design; what is measured here is printed beside them.

import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';
import { browserProgram } from '../test/browser/support/chromium.mjs';
import { longJournal, shortJournal, wideJournal } from '../test/browser/support/journals.mjs';
import { plainRows } from '../test/browser/support/plain-rows.mjs';
import { liveAgents, liveSessions } from './page/live.mjs';
import { scrollFrames } from './page/scroll.mjs';
import { markdown } from './table.mjs';

const ROUNDS = 3;
const MESSAGES = 50;
const VIEW = { width: 1440, height: 900 };

/** A table: what, its bar, and what was measured. `dist`: the build to measure. */
export async function pageBench(dist) {
  const folder = mkdtempSync(join(tmpdir(), 'cadre-bench-page-'));
  const empty = mkdtempSync(join(tmpdir(), 'cadre-bench-visit-'));
  const servers = [];
  let browser;
  try {
    store(folder, 'long', longJournal('long', 10_000));
    store(folder, 'rows', longJournal('rows', 20_000));
    store(folder, 'wide', wideJournal('wide', 1000));
    for (let index = 0; index < MESSAGES; index++) {
      const run = `said-${100 + index}`;
      const before = index > 0 && { continues: `said-${99 + index}` };
      store(folder, run, shortJournal(run, { at: 1_767_225_600_000 + index * 10_000, thread: 'tsaid', ...before }));
    }
    liveAgents(folder);
    cpSync(fileURLToPath(new URL('../examples/help-desk', import.meta.url)), empty, {
      recursive: true,
      filter: (path) => !path.includes('.cadre'),
    });
    const openUrl = await served(dist, folder, servers);
    const emptyUrl = await served(dist, empty, servers);
    const { path, env, args } = browserProgram();
    browser = await chromium.launch({
      executablePath: path,
      env: { ...process.env, ...env },
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', ...args],
    });
    const rows = [...bytes(dist), ...(await times(browser, openUrl, emptyUrl))];
    const text = markdown(['what', 'bar', 'measured'], rows);
    return { text, short: text };
  } finally {
    await browser?.close();
    for (const server of servers) server.kill('SIGKILL');
    for (const one of [folder, empty]) rmSync(one, { recursive: true, force: true });
  }
}

/** The address that a person opens. */
async function served(dist, folder, servers) {
  const server = spawn(process.execPath, [join(dist, 'cli/main.js'), 'serve', folder, '--port', '0'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  servers.push(server);
  return new Promise((resolve) => createInterface({ input: server.stdout }).once('line', resolve));
}

function store(folder, run, events) {
  mkdirSync(join(folder, '.cadre/runs', run), { recursive: true });
  const lines = events.map((event) => `${JSON.stringify(event)}\n`).join('');
  writeFileSync(join(folder, '.cadre/runs', run, 'events.jsonl'), lines);
}

function bytes(dist) {
  const assets = join(dist, 'page/assets');
  const html = readFileSync(join(dist, 'page/index.html'), 'utf8');
  const sizes = readdirSync(assets)
    .filter((file) => /\.(?:js|css)$/.test(file))
    .map((file) => ({ file, size: gzipSync(readFileSync(join(assets, file))).length }));
  const sum = (of) => of.reduce((all, { size }) => all + size, 0);
  const first = (end) => sizes.filter(({ file }) => file.endsWith(end) && html.includes(file));
  const kB = (size) => `${(size / 1000).toFixed(1)} kB`;
  return [
    ['first script, gzipped', '125 kB', kB(sum(first('.js')))],
    ['first style, gzipped', '16 kB', kB(sum(first('.css')))],
    ['all that may be loaded, gzipped', '', kB(sum(sizes))],
  ];
}

async function times(browser, openUrl, emptyUrl) {
  const page = await (await browser.newContext({ viewport: VIEW })).newPage();
  await page.goto(openUrl);
  const marked = async (name) => {
    for (;;) {
      const at = await page.evaluate(`performance.getEntriesByName('${name}').at(-1)?.startTime`);
      if (at !== undefined) return at;
      await page.waitForTimeout(20);
    }
  };
  const painted = async () => {
    await page.goto('about:blank'); // a page of its own, and not a change within the one that is open
    await page.goto(new URL('/runs', openUrl).href);
    return marked('first-contentful-paint');
  };
  const opened = async (run, mark) => {
    await page.goto('about:blank');
    await page.goto(new URL(`/runs/${run}?level=ops`, openUrl).href);
    return marked(`cadre:${mark}:${run}`);
  };
  /** Until the list stands there: more than the first paint, which is the shell. */
  const listed = async () => {
    await painted();
    return marked('cadre:runs');
  };
  const paint = await median(painted);
  const list = await median(listed);
  const slow = await onSlowNetwork(page, () => median(painted));
  const slowList = await onSlowNetwork(page, () => median(listed));
  const rows = await median(() => opened('long', 'rows'));
  const whole = await median(() => opened('long', 'whole'));
  const wide = await median(() => opened('wide', 'whole'));
  /** Until so many of them stand there. */
  const shown = async (url, of, count) => {
    await page.goto('about:blank');
    await page.goto(url);
    return page.evaluate(`new Promise((resolve) => {
      const look = () => {
        if (document.querySelectorAll('${of}').length >= ${count}) resolve(performance.now());
        else requestAnimationFrame(look);
      };
      look();
    })`);
  };
  const thread = await median(() => shown(new URL('/chat/tsaid', openUrl).href, '.chat-figures', MESSAGES));
  const visit = await median(() => shown(emptyUrl, '.agents-node', 7));
  const plain = await plainRows(page, 10_000);
  await opened('rows', 'whole');
  await page.waitForTimeout(1500); // what is folded when idle
  const frames = await scrollFrames(page);
  const live = await liveSessions(page, openUrl);
  const ms = (time) => `${Math.round(time)} ms`;
  const percent = (share) => `${Math.round(share * 100)} %`;
  return [
    ['first paint on loopback', '300 ms', ms(paint)],
    ['first paint on a network of 1.6 Mbit/s with 150 ms (3G Fast), nothing cached', '1 s', ms(slow)],
    ['the list of runs on loopback', '', ms(list)],
    ['the list of runs on that network', '', ms(slowList)],
    ['the first visit with the graph of 7 agents', '500 ms', ms(visit)],
    [`a thread of ${MESSAGES} messages`, '300 ms', ms(thread)],
    ['first rows of 10,000 events', '400 ms', ms(rows)],
    ['all of 10,000 events', '1 s', ms(whole)],
    ['all of 8,004 events in 1,001 sessions', '', ms(wide)],
    ['10,000 plain rows drawn, for comparison', '', ms(plain)],
    ['late frames in a 2 s scroll over 10,000 rows, median of five', '0', frames.own],
    ['the same rows as a static list without a script, for comparison', '', frames.still],
    ['an empty box of that height, for comparison', '', frames.empty],
    ['main thread at work during that scroll', '', percent(frames.busy)],
    [
      `main thread at work with 500 live sessions, ${Math.round(live.events)} events a second`,
      '50 %',
      percent(live.busy),
    ],
  ];
}

/** As WebPageTest defines 3G Fast. */
async function onSlowNetwork(page, measure) {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  const limits = { latency: 150, downloadThroughput: 1_600_000 / 8, uploadThroughput: 768_000 / 8 };
  await session.send('Network.emulateNetworkConditions', { offline: false, ...limits });
  const found = await measure();
  const free = { latency: 0, downloadThroughput: -1, uploadThroughput: -1 };
  await session.send('Network.emulateNetworkConditions', { offline: false, ...free });
  await session.send('Network.setCacheDisabled', { cacheDisabled: false });
  await session.detach();
  return found;
}

async function median(measure) {
  const found = [];
  for (let round = 0; round < ROUNDS; round++) found.push(await measure());
  return found.toSorted((one, other) => one - other)[Math.floor(ROUNDS / 2)];
}
