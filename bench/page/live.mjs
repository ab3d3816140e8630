// 500 sessions at work on the page: how busy its main thread is, and how many events arrive meanwhile.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { busyShare } from './scroll.mjs';

const SESSIONS = 500;
const SECONDS = 6;
const TURN_MS = 1800;
/** Enough for the sessions to begin, and for what is measured after that. */
const TURNS = 9;
const GROUPS = 10;

/**
 * Agents for it: one sends out 500 others, each with turns that read a file. A turn is four events, so turns of 1.8 s and
 * what the server adds make more than 1,000 events a second. The sessions begin in ten groups, a tenth of a turn after
 * each other: all at once, their events would come in bursts with nothing between them.
 */
export function liveAgents(folder) {
  const task = Array.from({ length: SESSIONS }, (_, index) => `place ${index}`);
  const limits = `{agents: [worker], maxChildren: ${SESSIONS}, maxTotal: ${SESSIONS}, maxConcurrent: ${SESSIONS}}`;
  const call = { read_file: { path: 'cadre.yaml' } };
  const look = { call, delay: `${TURN_MS}ms` };
  const first = Array.from({ length: GROUPS }, (_, group) => ({
    when: { turn: 1, input: `/${group}$/` },
    call,
    delay: `${1 + (group * TURN_MS) / GROUPS}ms`,
  }));
  const script = {
    agents: {
      boss: [
        { call: { sessions_spawn: { agent: 'worker', label: 'w', task, parallel: true } } },
        { call: { sessions_wait: {} } },
        { answer: 'All are back.' },
      ],
      worker: [...first, ...Array.from({ length: TURNS }, () => look), { answer: 'Seen.' }],
    },
  };
  const config = [
    'providers: {demo: {kind: scripted, script: ./demo.script.yaml}}',
    'models: {fast: {use: demo/any, price: {input: 1, output: 1}}}',
    'defaults: {models: [fast]}',
    `limits: {concurrency: ${SESSIONS}}`,
  ];
  const agent = (keys) => `---\ndescription: Does it.\n${keys}---\nGo.\n`;
  writeFileSync(join(folder, 'cadre.yaml'), `${config.join('\n')}\n`);
  writeFileSync(join(folder, 'demo.script.yaml'), JSON.stringify(script));
  writeFileSync(join(folder, 'boss.md'), agent(`spawn: ${limits}\n`));
  writeFileSync(join(folder, 'worker.md'), agent('tools: [files]\nmaxTurns: 20\nstuck: off\n'));
}

/** Starts the run, opens it, waits until all sessions are at work, and measures for some seconds. */
export async function liveSessions(page, openUrl) {
  const token = new URL(openUrl).searchParams.get('token');
  const started = await fetch(new URL('/api/runs', openUrl), {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ agent: 'boss', input: 'Send them out.' }),
  });
  const { run } = await started.json();
  await page.goto(new URL(`/runs/${run}`, openUrl).href);
  await page.getByText(new RegExp(`${SESSIONS + 1} sessions, \\d+ at work`)).waitFor();
  const count = () => page.evaluate("Number(document.querySelector('.tabs a:last-of-type small').textContent)");
  const before = await count();
  const busy = await busyShare(page, () => page.waitForTimeout(SECONDS * 1000));
  const events = ((await count()) - before) / SECONDS;
  return { busy, events };
}
