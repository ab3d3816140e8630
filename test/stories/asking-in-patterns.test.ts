// A call that asks a person asks in every place where an agent can work: in a chain, behind a router, as an advisor, in
// a team, as a tool of another, as a spawned run, and when it is asked again.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { type Folder, folderWith } from '../support/cli.ts';

let folder: Folder;
afterEach(() => folder.remove());

const RUN = { call: { run_command: { command: 'touch done' } } };
const doer = [{ ...RUN, when: { turn: 1 } }, { answer: 'I could not: {{result.run_command}}' }];
const base = { doer: '---\ndescription: Does things.\ntools: [shell]\n---\nDo.\n' };

interface Place {
  readonly files: Readonly<Record<string, string>>;
  readonly script: Readonly<Record<string, unknown>>;
}

const lead = (frontmatter: string): Readonly<Record<string, string>> => ({
  ...base,
  lead: `---\ndescription: Leads.\n${frontmatter}\n---\nLead.\n`,
});

const PLACES: Readonly<Record<string, Place>> = {
  next: { files: lead('next: doer'), script: { lead: [{ answer: 'go on' }], doer } },
  handoff: { files: lead('handoff: doer'), script: { lead: [{ answer: 'go on' }], doer } },
  router: {
    files: lead('router: { destinations: [doer] }'),
    script: { lead: [{ call: { 'handoff-to': { agent: 'doer' } } }], doer },
  },
  advisors: { files: lead('advisors: [doer]'), script: { lead: [{ answer: '{{input}}' }], doer } },
  agents: {
    files: lead('agents: [doer]'),
    script: { lead: [{ call: { agent__doer: { input: 'x', reason: 'r' } } }, { answer: '{{last}}' }], doer },
  },
  team: {
    files: {
      ...lead('team: { members: [doer], supervisor: boss }'),
      boss: '---\ndescription: Decides.\n---\nDecide.\n',
    },
    script: {
      doer: [
        { ...RUN, when: { turn: 1 } },
        { call: { team_broadcast: { message: '{{result.run_command}}' } }, repeat: true },
      ],
      boss: [{ answer: 'over', repeat: true }],
    },
  },
  spawn: {
    files: lead('spawn: { agents: [doer] }'),
    script: {
      lead: [
        { call: { sessions_spawn: { task: 'x', agent: 'doer', label: 'one' } } },
        { call: { sessions_wait: { labels: ['one'], mode: 'all' } } },
        { answer: '{{last}}' },
      ],
      doer,
    },
  },
};

test.each(Object.keys(PLACES))('%s', async (place) => {
  const { files, script } = PLACES[place]!;
  folder = folderWith({
    'cadre.yaml':
      'providers: { demo: { kind: scripted, script: ./demo.script.yaml } }\ndefaults: { models: [demo/any] }\nshell: { sandbox: off }\n',
    'demo.script.yaml': JSON.stringify({ agents: script }),
    ...Object.fromEntries(Object.entries(files).map(([name, text]) => [`${name}.md`, text])),
  });
  const { stderr } = await folder.cadre(['run', 'lead', 'go']);
  expect(stderr).toContain('denied: doer wants to call run_command (shell/run_command)');
  expect(existsSync(join(folder.path, 'done'))).toBe(false);
  await folder.cadre(['run', 'lead', 'go', '--approve', 'shell']);
  expect(existsSync(join(folder.path, 'done'))).toBe(true);
  expect((await folder.cadre(['replay', 'last'])).stdout).toContain('identical');
});
