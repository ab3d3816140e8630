// Control messages while both sides are killed with kill -9: what was accepted is in the journal once, and was heard once.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { loadCadre } from '../../src/definition/load.ts';
import { replay } from '../../src/engine/history/replay.ts';
import { openEngine } from '../../src/engine/open.ts';
import type { RunEvent } from '../../src/journal/event.ts';
import type { Mail } from '../../src/kernel/effect.ts';
import { services } from '../../src/run/services.ts';
import { startCli } from './support/cli.ts';
import { dice, tell } from './support/figures.ts';
import { eventsOf, openStore } from './support/victim.ts';

const ROUNDS = Number(process.env['CADRE_CRASH_ROUNDS'] ?? 3);
const MESSAGES = 60 * ROUNDS;
const DIST = fileURLToPath(new URL('../../dist', import.meta.url));
const SENDER = fileURLToPath(new URL('fixtures/sender.mjs', import.meta.url));

const FILES = {
  'cadre.yaml':
    'providers: {demo: {kind: scripted, script: ./demo.script.yaml}}\ndefaults: {models: [demo/any]}\nlimits: {maxTurns: 10000}\n',
  'demo.script.yaml': [
    'agents:',
    '  listener:',
    '    - {when: {last: "that is all"}, answer: "I heard all of it."}',
    '    - {call: {list_files: {}}, delay: 15ms, repeat: true}',
  ].join('\n'),
  'listener.md': '---\ndescription: Listens.\ntools: [files]\nmaxTurns: 10000\nstuck: off\n---\nListen.\n',
};

const figures = { accepted: 0, lost: 0, twice: 0, heardTwice: 0, unheard: 0, kills: 0 };

afterAll(() =>
  tell('Control messages under kill -9 of both sides', [
    ['messages accepted', figures.accepted],
    ['accepted messages lost', figures.lost],
    ['messages taken twice', figures.twice],
    ['messages taken and not heard', figures.unheard],
    ['messages heard twice', figures.heardTwice],
    ['kills survived', figures.kills],
  ]),
);

test('an accepted message is taken once and heard once, however often both sides are killed', {
  timeout: 120_000 * ROUNDS,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cadre-control-'));
  for (const [file, text] of Object.entries(FILES)) writeFileSync(join(folder, file), text);
  const dir = join(folder, '.cadre');
  const store = openStore(dir);
  const cadre = await loadCadre(folder);
  const engine = await openEngine(cadre, { store, dir, warn() {} });
  const run = await engine.prepare({ agent: 'listener', input: { text: 'listen' } });
  let isSending = true;
  const working = keepWorking(run, dir, () => isSending);
  const accepted = await sendAll(run, folder, dir);
  await engine.control(run, { id: 'last', kind: 'send', text: 'that is all' });
  isSending = false;
  await working;
  expect(await engine.outcome(run)).toMatchObject({ kind: 'answered', text: 'I heard all of it.' });

  const events = await eventsOf(store, run);
  const taken = events.filter((event) => event.type === 'control').map(({ message }) => message.id);
  figures.accepted += accepted.length + 1;
  figures.lost += ['last', ...accepted].filter((id) => !taken.includes(id)).length;
  figures.twice += taken.length - new Set(taken).size;
  const heard = heardIn(events);
  figures.heardTwice += heard.length - new Set(heard).size;
  figures.unheard += taken.filter((id) => id !== 'last' && !heard.includes(`message <${id.slice(1)}>`)).length;
  expect(figures).toMatchObject({ lost: 0, twice: 0, heardTwice: 0, unheard: 0 });
  expect(await replay(events, cadre, services)).toMatchObject({ kind: 'identical', ended: true });
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Works on the run and is killed, again and again, until all was said. */
async function keepWorking(run: string, dir: string, isSending: () => boolean): Promise<void> {
  const roll = dice(4711);
  for (;;) {
    const { child, done } = startCli(['resume', run, '--quiet', '--store', dir]);
    const timer = setTimeout(() => isSending() && child.kill('SIGKILL'), 250 + roll(900));
    const { code, stderr } = await done;
    clearTimeout(timer);
    if (code === 0) return;
    if (code !== null) throw new Error(`the run did not go on: ${stderr}`);
    figures.kills++;
  }
}

/** Numbers go up; whatever a sender had not told as accepted when it was killed is left to chance. */
async function sendAll(run: string, folder: string, dir: string): Promise<readonly string[]> {
  const roll = dice(42);
  const accepted: string[] = [];
  let next = 0;
  while (next < MESSAGES) {
    const count = MESSAGES - next;
    const child = spawn(process.execPath, [SENDER, DIST, folder, dir, run, String(next), String(count)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const killAfter = 3 + roll(40);
    let seen = 0;
    for await (const line of createInterface({ input: child.stdout })) {
      const number = Number(line.split(' ')[0]);
      accepted.push(`m${number}`);
      next = number + 1;
      seen += 1;
      if (seen < killAfter || next >= MESSAGES) continue;
      child.kill('SIGKILL');
      figures.kills++;
      next += 1; // the one that it was at when it was killed may have been posted
      break;
    }
    if (child.exitCode === null && child.signalCode === null)
      await new Promise((resolve) => child.once('exit', resolve));
  }
  return accepted;
}

const heardIn = (events: readonly RunEvent[]): readonly string[] =>
  events.flatMap((event) =>
    event.type === 'op' && event.kind === 'take'
      ? (event.value as Mail).messages.map(({ text }) => text).filter((text) => text.startsWith('message <'))
      : [],
  );
