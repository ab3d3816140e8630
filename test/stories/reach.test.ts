// A run is reached from another process, or the sender is told that it was not.

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { fileStore, loadCadre, tool } from '../../src/index.ts';
import { faultCode, runEnd, runStart, wholeRun, write } from '../../src/journal/store.conformance.ts';
import { type Folder, folderWith, until } from '../support/cli.ts';

const folders: Folder[] = [];
const place = (files: Readonly<Record<string, string>> = {}) => {
  const folder = folderWith(files);
  folders.push(folder);
  return folder;
};
afterEach(() => {
  for (const folder of folders.splice(0)) folder.remove();
});

const FILES = {
  'cadre.yaml': 'providers: { demo: { kind: scripted, script: ./s.yaml } }\ndefaults: { models: [demo/x] }\n',
  'clerk.md': '---\ndescription: Waits\ntools: [wait]\n---\nWait.\n',
  's.yaml': 'agents:\n  clerk: [{ call: { wait: {} } }, { answer: "{{last}}" }]\n',
};

/** A program that uses the library: its run waits in a tool until it is let go, or stopped. */
async function program(folder: Folder) {
  let letGo = (): void => {};
  let begin = (): void => {};
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const wait = tool({
    name: 'wait',
    description: 'Waits',
    parameters: { type: 'object' },
    run: (_given, { signal }) =>
      new Promise<string>((resolve, reject) => {
        letGo = () => resolve('gone on');
        signal.addEventListener('abort', () => reject(signal.reason as Error));
        begin();
      }),
  });
  const cadre = await loadCadre(folder.path, { tools: [wait] });
  const handle = await cadre.run('clerk', 'go');
  await begun;
  return { cadre, handle, letGo: () => letGo() };
}

test('a run of a program is cancelled from the command line', async () => {
  const folder = place(FILES);
  const { cadre, handle } = await program(folder);
  expect(await folder.cadre(['runs', 'cancel', handle.run, '--reason', 'a person said so'])).toEqual({
    stdout: `${handle.run}  cancelled\n`,
    stderr: '',
    exit: 0,
  });
  expect(await handle.outcome()).toMatchObject({ kind: 'cancelled', fault: { message: 'a person said so' } });
  await cadre.close();
});

test('a message reaches the run of a program, and after its end it is refused', async () => {
  const folder = place(FILES);
  const { cadre, handle, letGo } = await program(folder);
  expect(await folder.cadre(['runs', 'send', 'last', 'hurry up'])).toMatchObject({ stderr: '', exit: 0 });
  letGo();
  expect(await handle.outcome()).toMatchObject({ kind: 'answered', text: 'hurry up' });
  await expect(handle.send('too late')).rejects.toEqual(faultCode('run/finished'));
  await expect(handle.cancel('it is over')).rejects.toEqual(faultCode('run/finished'));
  const late = await folder.cadre(['runs', 'send', handle.run, 'too late']);
  expect(late).toEqual({ stdout: '', stderr: `error: Run ${handle.run} has ended already: answered.\n`, exit: 1 });
  const cancelled = await folder.cadre(['runs', 'cancel', handle.run]);
  expect(cancelled).toEqual({ stdout: '', stderr: `error: Run ${handle.run} has ended already: answered.\n`, exit: 1 });
  expect(readdirSync(join(folder.path, '.cadre/control'))).toEqual([]);
  await cadre.close();
});

test('an unknown run cannot be reached', async () => {
  const folder = place();
  await write(fileStore(join(folder.path, '.cadre')), 'r1', wholeRun('r1'));
  for (const command of [
    ['runs', 'send', 'x9', 'hello'],
    ['runs', 'cancel', 'x9'],
  ]) {
    const { stderr, exit } = await folder.cadre(command);
    expect({ stderr, exit }).toEqual({ stderr: expect.stringMatching(/^error: There is no run "x9"/), exit: 1 });
  }
  expect(existsSync(join(folder.path, '.cadre/control'))).toBe(false);
});

test.each([
  ['send', ['runs', 'send', 'r1', 'hello'], 'Run r1 ended before it took the send message.'],
  ['cancel', ['runs', 'cancel', 'r1'], 'Run r1 ended before it took the cancel message.'],
])('a message that nobody took before the end is taken back, and told: %s', async (_, command, text) => {
  const folder = place();
  const lease = await fileStore(join(folder.path, '.cadre')).claim('r1', 0);
  await lease.append([runStart('r1')]);
  const sent = folder.cadre(command);
  const queue = join(folder.path, '.cadre/control');
  await until(() => existsSync(queue) && readdirSync(queue).some((name) => name.startsWith('r1,')));
  await lease.append([runEnd(1)]);
  await lease.release();
  expect(await sent).toEqual({ stdout: '', stderr: `error: ${text}\n`, exit: 1 });
  expect(readdirSync(queue)).toEqual([]);
});
