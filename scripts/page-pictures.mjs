// Pictures of the page, from the built server with runs of the examples: each screen in light, dark, at 1024 pixels and on a
// phone, in the fonts of the design. `node scripts/page-pictures.mjs <folder> [names...]`
// `--docs` writes those of README and guide to docs/pictures, in light and dark, and a team at work as a moving picture.
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { browserProgram } from '../test/browser/support/chromium.mjs';
import { fontScript } from '../test/browser/support/fonts.mjs';
import { shortJournal } from '../test/browser/support/journals.mjs';
import { commandLine } from './command-line.mjs';
import { animated, encoder } from './pictures/webp.mjs';

const { values, positionals } = commandLine(import.meta.url, {
  options: { docs: { type: 'boolean' } },
  most: Infinity,
});
const isForDocs = values.docs === true;
const IN_DOCS = ['run', 'test', 'chat', 'graph'];
const [out = 'pictures', ...only] = isForDocs
  ? [fileURLToPath(new URL('../docs/pictures', import.meta.url)), ...(positionals.length > 0 ? positionals : IN_DOCS)]
  : positionals;
const cli = new URL('../dist/cli/main.js', import.meta.url).pathname;

const LOOKS = [
  { name: 'light', colorScheme: 'light', viewport: { width: 1440, height: 900 } },
  { name: 'dark', colorScheme: 'dark', viewport: { width: 1440, height: 900 } },
  { name: '1024', colorScheme: 'light', viewport: { width: 1024, height: 768 } },
  { name: 'phone', colorScheme: 'light', viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
].slice(0, isForDocs ? 2 : undefined);

/** The pictures: after the runs are made, the address of a screen, and the steps there. */
const PICTURES = {
  runs: () => '/runs',
  run: ({ editor }) => `/runs/${editor}#0.2.0.0.3.1.4`,
  'run-answer': ({ editor }) => `/runs/${editor}`,
  'run-failed': ({ failed }) => `/runs/${failed}`,
  'run-live': ({ live }) => `/runs/${live}`,
  'run-waits': ({ waits }) => `/runs/${waits}`,
  'run-waits-conversation': ({ waits }) => `/runs/${waits}/conversation`,
  graph: ({ editor }) => `/runs/${editor}/graph`,
  'live-graph': ({ live }) => `/runs/${live}/graph`,
  conversation: ({ desk }) => `/runs/${desk}/conversation?session=0.4`,
  team: ({ room, sixth }) => `/runs/${room}/team#${sixth}`,
  cost: ({ editor }) => `/runs/${editor}/cost`,
  journal: ({ failed }) => `/runs/${failed}/journal#seq=36`,
  diff: ({ failed, desk }) => `/runs/${failed}/diff/${desk}`,
  chat: ({ chat, second }) => `/chat/${chat}?why=${second}`,
  'chat-asks': ({ waitingChat }) => `/chat/${waitingChat}`,
  'chat-new': () => '/chat/new',
  agents: () => '/agents',
  agent: () => `/agents/${encodeURIComponent('help-desk/refunds')}`,
  start: () => `/agents/${encodeURIComponent('help-desk/refund-order')}/start`,
  approvals: () => '/approvals',
  approval: ({ waits, asked }) => `/approvals/${waits}#${asked}`,
  palette: ({ failed }) => `/runs/${failed}`,
  keys: ({ failed }) => `/runs/${failed}`,
  'new-run': ({ failed }) => `/runs/${failed}`,
  tests: () => '/tests',
  test: () => `/tests/last?case=${encodeURIComponent(`shop/clerk.test.yaml order 18`)}`,
};

/** The keys that are pressed before the picture is taken. */
const KEYS = { palette: ['Control+k', 'f', 'o', 'r', 'k'], keys: ['?'], 'new-run': ['n'] };

/** The moving picture: its size, the time between two looks, and how long its end is seen. */
const MOVING = { width: 1120, height: 660 };
const FRAME_MS = 500;
const LAST_MS = 4000;

const folder = mkdtempSync(join(tmpdir(), 'cadre-pictures-'));
for (const example of ['help-desk', 'lighthouse', 'newsroom', 'ship-room', 'subagent'])
  cpSync(new URL(`../examples/${example}`, import.meta.url).pathname, join(folder, example), {
    recursive: true,
    filter: (path) => !path.includes('.cadre'),
  });
slowScript('slow-room', 30);
slowScript('ship-room-at-work', 6);
failingScript();
testedShop();
askingDesk();

const servers = [];
let openUrl = '';
let token = '';
let browser;
try {
  const { path, env, args: more } = browserProgram();
  browser = await chromium.launch({
    executablePath: path,
    env: { ...process.env, ...env },
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', ...more],
  });
  mkdirSync(out, { recursive: true });
  if (!isForDocs) await visits();
  await serve(folder);
  if (!isForDocs || IN_DOCS.some((name) => only.includes(name))) {
    const runs = await makeRuns();
    for (const look of LOOKS) await pictures(look, PICTURES, runs);
  }
  if (isForDocs && (positionals.length === 0 || only.includes('team-at-work')))
    for (const look of LOOKS) await moving(look);
} finally {
  await browser?.close();
  for (const server of servers) server.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}

/** Serves a folder; what follows is about it. */
async function serve(dir) {
  const server = spawn(process.execPath, [cli, 'serve', dir, '--port', '0'], {
    cwd: dir,
    env: { PATH: process.env.PATH, HOME: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  servers.push(server);
  openUrl = await new Promise((resolve, reject) => {
    server.once('exit', (code) => reject(new Error(`cadre serve ended with ${code}`)));
    createInterface({ input: server.stdout }).once('line', resolve);
  });
  token = new URL(openUrl).searchParams.get('token') ?? '';
}

/** Screens of other stores: those without a run, and one with runs of many days. */
async function visits() {
  const many = { days: () => '/runs' };
  for (const [dir, names] of [
    ['help-desk', { 'first-visit': () => '/' }],
    ['', { 'first-visit-many': () => '/' }],
    ['days', many],
  ]) {
    const place = mkdtempSync(join(tmpdir(), 'cadre-visit-'));
    cpSync(join(folder, dir === 'days' ? 'help-desk' : dir), place, {
      recursive: true,
      filter: (path) => !path.includes('/.cadre'),
    });
    if (dir === 'days') manyDays(place);
    await serve(place);
    for (const look of LOOKS) await pictures(look, names, {});
    rmSync(place, { recursive: true, force: true });
  }
}

/** Made up: what days look like. */
function manyDays(place) {
  for (let index = 0; index < 200; index++) {
    const at = Date.now() - ((index * 7919) % 3_000_000) * 1000;
    const run = `${new Date(at).toISOString().replaceAll(/[-:]/g, '').slice(0, 15).replace('T', '-')}-${String(index).padStart(7, '0')}`;
    const outcome =
      index % 9 === 4
        ? { kind: 'failed', agent: 'front-desk', fault: { code: 'model/server', message: 'upstream connect error' } }
        : undefined;
    const events = shortJournal(run, {
      at,
      agent: 'front-desk',
      usd: 0.001 + (index % 5) / 1000,
      asked: `Where is order ${index}?`,
      ...(outcome && { outcome }),
    });
    mkdirSync(join(place, '.cadre/runs', run), { recursive: true });
    const lines = events.map((event) => `${JSON.stringify(event)}\n`).join('');
    writeFileSync(join(place, '.cadre/runs', run, 'events.jsonl'), lines);
  }
}

async function tabOf({ name: look, ...context }) {
  const tab = await (await browser.newContext({ ...context, reducedMotion: 'reduce' })).newPage();
  await tab.addInitScript(fontScript());
  tab.on('pageerror', (error) => console.error(`${look}: ${error}`));
  tab.on('console', (message) => message.type() === 'error' && console.error(`${look}: ${message.text()}`));
  await tab.goto(openUrl);
  return tab;
}

/** A team, from its first turn to its answer. */
async function moving(look) {
  const tab = await tabOf({ ...look, viewport: MOVING });
  const { part, close } = await encoder(browser);
  const { run } = await api('/api/runs', {
    agent: 'ship-room-at-work/release-lead',
    input: 'Does 4.2.0 go out today?',
  });
  await tab.goto(new URL(`/runs/${run}`, openUrl).href);
  await tab.locator('.tl-row').first().waitFor();
  await tab.evaluate('document.fonts.ready');
  const frames = [];
  let isOver = false;
  for (let shown = Date.now(); !isOver; ) {
    isOver = (await tab.locator('.run-head .chip').first().textContent())?.includes('answered') ?? false;
    if (isOver) await tab.waitForTimeout(700);
    const changed = await part(await tab.screenshot());
    const now = Date.now();
    if (frames.length > 0) frames.at(-1).ms += now - shown;
    shown = now;
    if (changed !== undefined) frames.push({ ...changed, ms: 0 });
    await tab.waitForTimeout(FRAME_MS);
  }
  frames.at(-1).ms += LAST_MS;
  writeFileSync(join(out, `team-at-work.${look.name}.webp`), animated(MOVING, frames));
  await close();
  await tab.context().close();
}

async function pictures(look, places, runs) {
  const tab = await tabOf(look);
  for (const [name, address] of Object.entries(places)) {
    if (only.length > 0 && !only.includes(name)) continue;
    await tab.goto(new URL(address(runs), openUrl).href);
    await tab.evaluate('document.fonts.ready');
    await tab.waitForTimeout(700);
    for (const key of KEYS[name] ?? []) await tab.keyboard.press(key);
    if (KEYS[name] !== undefined) await tab.waitForTimeout(300);
    await tab.screenshot({ path: join(out, `${name}.${look.name}.png`) });
  }
  await tab.context().close();
}

/** The runs of the design: answered, failed, a team, and one that works while the pictures are made. */
async function makeRuns() {
  const start = async (agent, input, wait = true) => {
    const answer = await api(`/api/runs${wait ? '?wait=60s' : ''}`, { agent, input });
    return answer.run;
  };
  const refund = 'The mirror of my sextant arrived broken. Please refund order 17.';
  const editor = await start('newsroom/editor', 'What the bridge did to the village');
  const room = await start('ship-room/release-lead', 'Does 4.2.0 go out today?');
  const desk = await start('help-desk/front-desk', refund);
  await start('lighthouse/detective', 'Four gallons of lamp oil are missing. Who took them?');
  const failed = await start('failing/front-desk', refund);
  const live = await start('slow-room/release-lead', 'Does 4.2.0 go out today?', false);
  await decided(await start('asking/front-desk', refund, false), {
    approved: false,
    note: 'Refunds after 30 days need a manager.',
  });
  await decided(await start('asking/front-desk', refund, false), { approved: true });
  const waits = await start('asking/front-desk', refund, false);
  const asked = await waiting(waits);
  const talk = async (agent, inputs, wait = true) => {
    let thread = 'new';
    const runs = [];
    for (const input of inputs) {
      const last = input === inputs.at(-1) && !wait;
      const started = await api(`/api/runs${last ? '' : '?wait=60s'}`, { agent, input, thread });
      ({ thread } = started);
      runs.push(started.run);
    }
    return { thread, runs };
  };
  const chat = await talk('help-desk/front-desk', [
    'How do I look after a brass barometer?',
    'May I open the barometer to clean it?',
    refund,
  ]);
  const waitingChat = await talk('asking/front-desk', [refund], false);
  const said = (await events(room)).filter(({ type, kind }) => type === 'op' && kind === 'post');
  const sixth = said[5]?.path;
  // Waits until the members have spoken, and the lead thinks about it.
  while ((await api(`/api/runs/${live}/summary`)).events < 24) await new Promise((resolve) => setTimeout(resolve, 500));
  return {
    editor,
    room,
    desk,
    failed,
    live,
    sixth,
    waits,
    asked,
    chat: chat.thread,
    second: chat.runs[1],
    waitingChat: waitingChat.thread,
  };
}

async function events(run) {
  const response = await fetch(new URL(`/api/runs/${run}/events`, openUrl), {
    headers: { authorization: `Bearer ${token}`, accept: 'application/x-ndjson' },
  });
  return (await response.text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .map((line) => line.event ?? line);
}

/** The op of a run that waits for a person. */
async function waiting(run) {
  for (;;) {
    const { waiting: all } = await api(`/api/approvals?run=${run}`);
    if (all.length > 0) return all[0].path;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function decided(run, verdict) {
  await api(`/api/runs/${run}/ops/${await waiting(run)}/verdict`, verdict);
  for (;;) {
    const { state } = await api(`/api/runs/${run}/summary`);
    if (state === 'ended') return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function api(path, body) {
  const response = await fetch(new URL(path, openUrl), {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

/** The team again, slowly enough to be seen at work. */
function slowScript(to, times) {
  const script = join(folder, to, 'ship-room.script.yaml');
  cpSync(join(folder, 'ship-room'), join(folder, to), { recursive: true });
  const slower = readFileSync(script, 'utf8').replaceAll(
    /delay: (\d+)ms/g,
    (_, ms) => `delay: ${Number(ms) * times}ms`,
  );
  writeFileSync(script, slower);
}

/** The help desk with a provider that fails at its last stage. */
function failingScript() {
  cpSync(join(folder, 'help-desk'), join(folder, 'failing'), { recursive: true });
  const script = join(folder, 'failing/help-desk.script.yaml');
  const fault = '{ status: 503, message: upstream connect error }';
  const text = readFileSync(script, 'utf8');
  writeFileSync(
    script,
    text.replace('  refund-order:\n', `  refund-order:\n    - fault: [${fault}, ${fault}, ${fault}]\n`),
  );
}

/** A shop whose tests two models pass differently, and the result of them. */
function testedShop() {
  const write = (file, text) => {
    mkdirSync(join(folder, 'shop'), { recursive: true });
    writeFileSync(join(folder, 'shop', file), text);
  };
  const clerk = (unknown) => `agents:
  clerk:
    - when: { turn: 1, input: "/order (?<order>\\\\d+)/" }
      delay: ${unknown === '' ? 90 : 35}ms
      call: { read_file: { path: orders.md } }
${unknown}    - when: { input: "/17/" }
      answer: "Order 17 is at the harbour since Monday."
    - answer: "Order 18 is on its way, and comes on Friday."
  judge: [{ report: { good: true, why: It names the place and the day. }, repeat: true }]
`;
  write(
    'cadre.yaml',
    `providers: { small: { kind: scripted, script: ./small.script.yaml }, large: { kind: scripted, script: ./large.script.yaml } }
models:
  fast: { use: small/any, price: { input: 0.2, output: 0.8 } }
  careful: { use: large/any, price: { input: 3, output: 15 } }
defaults: { models: [fast] }
`,
  );
  write('small.script.yaml', clerk('    - when: { input: "/18/" }\n      answer: "I cannot find order 18."\n'));
  write('large.script.yaml', clerk(''));
  write('orders.md', '# Orders\n\norder 17: at the harbour since Monday\norder 18: on its way, Friday\n');
  write('clerk.md', '---\ndescription: Says where an order is.\ntools: [files]\n---\nYou look the order up.\n');
  write('judge.md', '---\ndescription: Judges answers.\n---\nYou judge.\n');
  write(
    'clerk.test.yaml',
    `agent: clerk
cases:
  order {{order}}:
    each: [{ order: 17, place: at the harbour }, { order: 18, place: on its way }]
    input: Where is order {{order}}?
    expect: { answer: { contains: "{{place}}" }, tools: [read_file] }
  the answer names a day:
    input: Where is order 17?
    expect: { judge: { agent: judge, rubric: It names a day., repeat: 3 } }
  it answers within three calls:
    input: Where is order 17?
    expect: { atMost: { calls: 3 }, replay: identical }
`,
  );
  for (const args of [[], ['--models', 'fast,careful']])
    spawnSync(process.execPath, [cli, 'test', 'shop', ...args], {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder },
    });
}

/** The help desk, where a person is asked before a file is read. */
function askingDesk() {
  cpSync(join(folder, 'help-desk'), join(folder, 'asking'), { recursive: true });
  const file = join(folder, 'asking/refunds.md');
  writeFileSync(file, readFileSync(file, 'utf8').replace('tools:', 'approve: [files]\ntools:'));
}
