// The first visit in a real browser, and New run: whom to ask, what it costs, what happens, and one Enter to a run.

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Locator } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { main } from '../support/cli.ts';
import { violations } from './support/axe.ts';
import { newPage } from './support/page.ts';
import { agent, scripted } from './support/scripts.ts';
import { served } from './support/served.ts';

const hasFocus = (one: Locator): Promise<boolean> => one.evaluate((element) => element.matches(':focus'));

test('one Enter leads from nothing to a run: the entry agent, its tests as examples, the price, and the steps', async () => {
  const server = await served({ example: 'help-desk' });
  const page = await newPage();
  await page.goto(server.openUrl);
  await page.getByRole('heading', { level: 1, name: 'Ask front-desk' }).waitFor();
  await page.getByText('$0 (scripted)').waitFor();
  await page.getByText('are asked first, at the same time').waitFor();
  await page.getByText('The answer comes from').waitFor();
  const graph = page.getByRole('region', { name: 'The agents' });
  await graph.getByRole('link', { name: /front-desk you ask here/ }).waitFor();
  await graph.getByText('Decides on refunds').waitFor();
  await graph.getByText('router: sends it to one of them').waitFor();
  await page.getByText('Answers come from a script: no key, no network.').waitFor();
  const field = page.getByRole('textbox', { name: 'Ask front-desk' });
  await expect.poll(() => hasFocus(field)).toBe(true);
  expect(await violations(page)).toEqual([]);
  // The other agents are a press away where there are few of them.
  const whom = page.getByRole('button', { name: 'Agent: front-desk' });
  await whom.click();
  await expect.poll(() => hasFocus(page.getByRole('combobox', { name: 'Agent' }))).toBe(true);
  await page.keyboard.press('Enter');
  await expect.poll(() => hasFocus(field)).toBe(true);
  await page.keyboard.press('Alt+2');
  await expect.poll(() => field.inputValue()).toBe('May I open the barometer to clean it?');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/runs\/\d/);
  await page.getByText('watchmaker').first().waitFor();
});

test('the command that stands there does the same from the folder that is served, also where there are several cadres', async () => {
  for (const example of ['lighthouse', '.']) {
    const server = await served({ example });
    const page = await newPage();
    await page.goto(server.openUrl);
    const command = await page.locator('.ask-agent .cmd span').first().innerText();
    const answered = await promisify(execFile)('sh', ['-c', command.replace(/^cadre/, `"$NODE" "$MAIN"`)], {
      cwd: server.folder,
      env: { PATH: process.env['PATH'], HOME: server.folder, NODE: process.execPath, MAIN: main() },
    });
    expect(answered.stdout.trim(), command).not.toBe('');
  }
});

test('a command is copied where the browser refuses its clipboard, too', async () => {
  const server = await served({ example: 'lighthouse' });
  const page = await newPage();
  await page.addInitScript(
    "navigator.clipboard.writeText = () => Promise.reject(new DOMException('Write permission denied.', 'NotAllowedError'))",
  );
  await page.goto(server.openUrl);
  await page.getByRole('button', { name: 'Copy the command' }).first().click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
});

test('an agent is chosen among many by name, folder or description, and Enter goes on to the question', async () => {
  const server = await served({ example: '.' });
  const page = await newPage();
  await page.goto(server.openUrl);
  await page.getByRole('heading', { level: 1, name: 'Whom do you want to ask?' }).waitFor();
  const choice = page.getByRole('combobox', { name: 'Agent' });
  await expect.poll(() => hasFocus(choice)).toBe(true);
  await page.keyboard.type('front-d');
  await expect.poll(() => page.locator('.ask-options [aria-selected="true"]').innerText()).toContain('front-desk');
  await expect.poll(() => page.locator('.ask-options [aria-selected="true"]').innerText()).toContain('$0 (scripted)');
  await expect.poll(() => page.locator('.ask-options mark').first().innerText()).toBe('front-d');
  expect(await violations(page)).toEqual([]);
  await page.getByRole('region', { name: 'The agents of help-desk' }).getByText('7 agents').waitFor();
  await expect.poll(() => page.locator('.agents-node').count()).toBe(7);
  // The folder stands over the graph, so the names are without it.
  await expect.poll(() => page.locator('.agents-node.chosen strong').innerText()).toBe('front-desk');
  await page.getByText('are asked first').getByText('risk', { exact: true }).waitFor();
  await page.keyboard.press('Enter');
  const field = page.getByRole('textbox', { name: 'Ask help-desk/front-desk' });
  await expect.poll(() => hasFocus(field)).toBe(true);
});

test('the rest of a folder is opened by the arrows and Enter, as by a click', async () => {
  const folders = ['a', 'b', 'c', 'd', 'e', 'f'];
  const files = Object.fromEntries(
    folders.flatMap((folder) => {
      const own = scripted(Object.fromEntries(['v', 'w', 'x', 'y', 'z'].map((name) => [name, agent('')])), {});
      return Object.entries(own).map(([file, text]) => [`${folder}/${file}`, text]);
    }),
  );
  const server = await served({ files });
  const page = await newPage();
  await page.goto(server.openUrl);
  const more = page.getByRole('option', { name: '2 more in f' });
  await more.waitFor();
  for (let press = 0; press < 28; press++) await page.keyboard.press('ArrowDown');
  await expect.poll(() => more.getAttribute('aria-selected')).toBe('true');
  await page.keyboard.press('Enter');
  await more.waitFor({ state: 'detached' });
  await expect.poll(() => page.getByRole('group', { name: 'f' }).getByRole('option').count()).toBe(5);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect.poll(() => hasFocus(page.getByRole('textbox', { name: /^Ask f\// }))).toBe(true);
  // The list of agents has the same folders.
  await page.goto(server.at('/agents/f%2Fz?as=list'));
  await page.getByRole('list', { name: 'Agents of f' }).getByRole('link', { name: 'z' }).waitFor();
  expect(await violations(page)).toEqual([]);
});

test('New run lies over what is looked at, and Escape goes back there', async () => {
  const server = await served({
    files: scripted(
      { desk: agent('agents: [clerk]\n'), clerk: agent('') },
      { agents: { desk: [{ answer: 'Done.', repeat: true }], clerk: [{ answer: 'Yes.', repeat: true }] } },
    ),
  });
  const run = await server.run('desk', 'go');
  const page = await newPage();
  await page.goto(server.at(`/runs/${run}/cost`));
  await page.getByRole('tab', { name: /Cost/ }).waitFor();
  const before = page.url();
  await page.keyboard.press('n');
  const dialog = page.getByRole('dialog', { name: 'New run' });
  await dialog.getByText('Ask desk').waitFor();
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await expect.poll(() => page.url()).toBe(before);
  await page.keyboard.press('n');
  await dialog.getByRole('textbox', { name: 'Ask desk' }).fill('again');
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await expect.poll(() => page.url()).not.toBe(before);
});

test('an empty folder says how to make agents', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'cadre-empty-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const server = await served({ dir });
  const page = await newPage();
  await page.goto(server.openUrl);
  await page.getByRole('heading', { name: 'This folder has no agents yet' }).waitFor();
  for (const place of ['/', '/chat/new', '/agents']) {
    await page.goto(server.at(place));
    await page.getByText('cadre init', { exact: true }).waitFor();
    if (place !== '/agents') await page.getByText(/^They will use .+: .+\.$/).waitFor();
  }
  expect(await violations(page)).toEqual([]);
});

test('an agent whose files have errors is not started, and says where to look', async () => {
  const server = await served({
    files: scripted(
      { desk: agent('agents: [clerk]\n'), clerk: agent('tools: [nothing-of-this-name]\n') },
      { agents: {} },
    ),
  });
  const page = await newPage();
  await page.goto(server.openUrl);
  await page.getByText(/^Fix clerk\.md:\d+ first$/).waitFor();
  await page.getByText('there is no tool source').waitFor();
  await expect.poll(() => page.getByRole('button', { name: 'Start' }).count()).toBe(0);
  await page.goto(server.at('/chat/new'));
  await page.getByText(/^Fix clerk\.md:\d+ first$/).waitFor();
  expect(await violations(page)).toEqual([]);
});
