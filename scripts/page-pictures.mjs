// Pictures of the page, from the built server with runs of the examples: each screen in light, dark and on a phone, at the
// sizes of the design. `node scripts/page-pictures.mjs <folder> [names...]`
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { chromium } from 'playwright-core';
import { browserProgram } from '../test/browser/support/chromium.mjs';

const [out = 'pictures', ...only] = process.argv.slice(2);
const cli = new URL('../dist/cli/main.js', import.meta.url).pathname;

const LOOKS = [
  { name: 'light', colorScheme: 'light', viewport: { width: 1440, height: 900 } },
  { name: 'dark', colorScheme: 'dark', viewport: { width: 1440, height: 900 } },
  { name: 'phone', colorScheme: 'light', viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
];

/** The pictures: after the runs are made, the address of a screen, and the steps there. */
const PICTURES = {
  runs: () => '/runs',
  run: ({ editor }) => `/runs/${editor}#0.2.0.0.3.1.4`,
  'run-answer': ({ editor }) => `/runs/${editor}`,
  'run-failed': ({ failed }) => `/runs/${failed}`,
  'run-live': ({ live }) => `/runs/${live}`,
  conversation: ({ desk }) => `/runs/${desk}/conversation?session=0.4`,
  team: ({ room, sixth }) => `/runs/${room}/team#${sixth}`,
  cost: ({ editor }) => `/runs/${editor}/cost`,
  journal: ({ failed }) => `/runs/${failed}/journal#seq=36`,
  diff: ({ failed, desk }) => `/runs/${failed}/diff/${desk}`,
  agents: () => '/agents',
  agent: () => `/agents/${encodeURIComponent('help-desk/refunds')}`,
  start: () => `/agents/${encodeURIComponent('help-desk/refund-order')}/start`,
  approvals: () => '/approvals',
  palette: ({ failed }) => `/runs/${failed}`,
  tests: () => '/tests',
  test: () => `/tests/last?case=${encodeURIComponent(`shop/clerk.test.yaml order 18`)}`,
};

/** The keys that are pressed before the picture is taken. */
const KEYS = { palette: ['Control+k', 'f', 'o', 'r', 'k'] };

const folder = mkdtempSync(join(tmpdir(), 'cadre-pictures-'));
for (const example of ['help-desk', 'lighthouse', 'newsroom', 'ship-room', 'subagent'])
  cpSync(new URL(`../examples/${example}`, import.meta.url).pathname, join(folder, example), {
    recursive: true,
    filter: (path) => !path.includes('.cadre'),
  });
slowScript('ship-room/ship-room.script.yaml', 'slow-room/ship-room.script.yaml');
failingScript();
testedShop();
askingDesk();

const server = spawn(process.execPath, [cli, 'serve', folder, '--port', '0'], {
  cwd: folder,
  env: { PATH: process.env.PATH, HOME: folder },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const openUrl = await new Promise((resolve, reject) => {
  server.once('exit', (code) => reject(new Error(`cadre serve ended with ${code}`)));
  createInterface({ input: server.stdout }).once('line', resolve);
});
const token = new URL(openUrl).searchParams.get('token') ?? '';

let browser;
try {
  const { path, env, args } = browserProgram();
  browser = await chromium.launch({
    executablePath: path,
    env: { ...process.env, ...env },
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', ...args],
  });
  const runs = await makeRuns();
  mkdirSync(out, { recursive: true });
  for (const look of LOOKS) await pictures(look, runs);
} finally {
  await browser?.close();
  server.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}

async function pictures({ name: look, ...context }, runs) {
  const tab = await (await browser.newContext({ ...context, reducedMotion: 'reduce' })).newPage();
  tab.on('pageerror', (error) => console.error(`${look}: ${error}`));
  tab.on('console', (message) => message.type() === 'error' && console.error(`${look}: ${message.text()}`));
  await tab.goto(openUrl);
  for (const [name, address] of Object.entries(PICTURES)) {
    if (only.length > 0 && !only.includes(name)) continue;
    const path = address(runs);
    if (path === undefined) continue;
    await tab.goto(new URL(path, openUrl).href);
    await tab.waitForTimeout(700);
    for (const key of KEYS[name] ?? []) await tab.keyboard.press(key);
    await tab.screenshot({ path: join(out, `${name}.${look}.png`) });
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
  await waiting(await start('asking/front-desk', refund, false));
  const said = (await events(room)).filter(({ type, kind }) => type === 'op' && kind === 'post');
  const sixth = said[5]?.path;
  // Waits until the members have spoken, and the lead thinks about it.
  while ((await api(`/api/runs/${live}/summary`)).events < 24) await new Promise((resolve) => setTimeout(resolve, 500));
  return { editor, room, desk, failed, live, sixth };
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
function slowScript(from, to) {
  cpSync(join(folder, 'ship-room'), join(folder, 'slow-room'), { recursive: true });
  const text = readFileSync(join(folder, from), 'utf8');
  writeFileSync(
    join(folder, to),
    text.replaceAll(/delay: (\d+)ms/g, (_, ms) => `delay: ${Number(ms) * 30}ms`),
  );
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
