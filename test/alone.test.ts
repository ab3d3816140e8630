// cadre test --alone: one agent in the place of a team, with the rights of the team and no more, and the table of both.

import { afterEach, expect, test } from 'vitest';
import { withAlone } from '../src/agent-tests/alone.ts';
import type { AgentDefinition } from '../src/definition/definition.ts';
import { loadCadre } from '../src/definition/load.ts';
import { answeringServer } from './support/answering-server.ts';
import { type Folder, folderWith } from './support/cli.ts';

let folder: Folder | undefined;
afterEach(() => {
  folder?.remove();
});

const CONFIG = `providers: { demo: { kind: scripted, script: ./s.yaml } }
defaults: { models: [demo/a] }
limits: { maxTurns: 25 }
`;

async function aloneIn(files: Readonly<Record<string, string>>, name: string): Promise<AgentDefinition> {
  folder = folderWith({ 'cadre.yaml': CONFIG, 's.yaml': 'agents: {}', ...files });
  const cadre = await loadCadre(folder.path);
  const agent = cadre.agents.get(name) as AgentDefinition;
  return withAlone(cadre, agent, { tokens: 500 }).agents.get(`${name}-alone`) as AgentDefinition;
}

const file = (front: string, body: string): string => `---\n${front}\n---\n${body}\n`;

test('the one agent has the contract of the first, the tools and texts of all, and no one to ask', async () => {
  const alone = await aloneIn(
    {
      'boss.md': file(
        'description: Leads.\nagents: [writer]\nspawn: true\noutput: { format: json, schema: { type: object } }\ntimeout: 30s',
        'You lead.',
      ),
      'writer.md': file('description: Writes it.\ntools: [files]\nnext: editor\nmaxTurns: 12', 'You write.'),
      'editor.md': file('description: Edits it.\ntools: [files, web]\nmaxTurns: 12', 'You edit.'),
    },
    'boss',
  );
  expect(alone).toMatchObject({
    name: 'boss-alone',
    output: { format: 'json' },
    timeoutMs: 30_000,
    tools: ['files', 'web'],
    patterns: [],
    maxTurns: 25, // 10 + 12 + 12, and the cap of the limits
    budget: { tokens: 500 },
  });
  expect(alone.system).toBe('You lead.\n\n## writer: Writes it.\n\nYou write.\n\n## editor: Edits it.\n\nYou edit.');
});

test('the one agent has no right that not every agent with the tool has, and each restriction of any', async () => {
  const alone = await aloneIn(
    {
      'boss.md': file('description: Leads.\nagents: [one, two]\nbudget: { usd: 0.5 }', 'You lead.'),
      'one.md': file(
        'description: One.\ntools: ["files:write", shell, web]\ntrust: ["shell(npm test)", "files:write", web]\ndeny: ["edit_file(path=src/**)"]',
        'One.',
      ),
      'two.md': file(
        'description: Two.\ntools: ["files:write", shell]\ntrust: ["shell(npm test)"]\napprove: [move_file]',
        'Two.',
      ),
    },
    'boss',
  );
  expect([...alone.trust].sort()).toEqual(['shell(npm test)', 'web']);
  expect(alone.approve).toEqual(['move_file']);
  expect(alone.deny).toEqual(['edit_file(path=src/**)']);
  expect(alone.budget).toEqual({ usd: 0.5 });
});

test('a loop whose judge is a command stays, and one whose judge is an agent goes', async () => {
  const loop = (until: string): Readonly<Record<string, string>> => ({
    'boss.md': file(`description: Leads.\nagents: [critic]\nrepeat: { until: ${until}, max: 3 }`, 'You lead.'),
    'critic.md': file('description: Judges.', 'You judge.'),
  });
  expect((await aloneIn(loop('{ command: "npm test" }'), 'boss')).patterns.map(({ pattern }) => pattern.key)).toEqual([
    'repeat',
  ]);
  folder?.remove();
  expect((await aloneIn(loop('critic'), 'boss')).patterns).toEqual([]);
});

const TEAM = {
  'cadre.yaml': CONFIG,
  'boss.md': file('description: Leads.\nagents: [clerk]', 'You lead.'),
  'clerk.md': file('description: Answers.', 'You answer.'),
  's.yaml': `agents:
  boss:
    - when: { turn: 1 }
      call: { agent__clerk: { input: "{{input}}", reason: "Mine." } }
    - answer: "{{last}}"
  clerk: [{ answer: "It is here, and more was said about it than one agent alone would say in its place." }]
  boss-alone: [{ answer: "It is here." }]
`,
  'boss.test.yaml': `agent: boss
cases:
  a thing is found:
    input: Where is it?
    expect: { answer: { contains: It is here }, agents: [clerk] }
  the clerk is asked:
    agent: clerk
    input: Where is it?
    expect: { answer: { contains: It is here } }
`,
};

test('the table has both sides, leaves out what one of them cannot run, and the exit code is that of the team', async () => {
  folder = folderWith(TEAM);
  const { stdout, exit } = await folder.cadre(['test', '--alone', '--junit', 'out.xml']);
  expect(exit).toBe(0);
  expect(stdout).toMatch(/^team +1 of 1/m);
  expect(stdout).toMatch(/^alone +1 of 1/m);
  expect(stdout).toContain('clerk leads to no other agent');
  expect(stdout).toContain('team and alone cannot be told apart at this number of tries: 1 of 1 against 1 of 1 passed');
  expect(stdout).toContain('1 case left out');
  expect(stdout).toContain('1 expectation about who was called did not count');
  expect(stdout).toMatch(/^2 passed, 0 failed/m);
  expect(folder.read('out.xml')).toContain('tests="2"');
  const { candidates } = JSON.parse((await folder.cadre(['test', '--alone', '--json'])).stdout);
  expect(candidates).toMatchObject([
    { kind: 'team', cases: 1, passed: 1, leftOut: 1 },
    { kind: 'alone', cases: 1, passed: 1, leftOut: 1 },
  ]);
  expect(candidates[1].tokens).toBeLessThan(candidates[0].tokens);
  const kept = await folder.cadre(['test', '--results', 'last']);
  expect(kept.stdout).toMatch(/^alone +1 of 1/m);
  expect(kept.stdout).toMatch(/^2 passed, 0 failed/m);
  folder.write('s.yaml', TEAM['s.yaml'].replace('answer: "It is here."', 'answer: "Nowhere."'));
  const worse = await folder.cadre(['test', '--alone']);
  expect([worse.exit, /^alone +0 of 1/m.test(worse.stdout)]).toEqual([0, true]);
  folder.write('s.yaml', TEAM['s.yaml'].replace(/boss-alone.*/, ''));
  const without = await folder.cadre(['test', '--alone']);
  expect(without.stdout).toContain('a script answers it, and it has no steps for boss-alone');
  expect(without.exit).toBe(0);
});

test('a side that needs more than the team used ends over its budget, and has not passed', async () => {
  const dear = 'boss-alone: [{ call: { nowhere: {} }, usage: { input: 90000, output: 5 } }, { answer: "It is here." }]';
  folder = folderWith({ ...TEAM, 's.yaml': TEAM['s.yaml'].replace(/boss-alone.*/, dear) });
  const { stdout } = await folder.cadre(['test', '--alone']);
  expect(stdout).toMatch(/^alone +0 of 1/m);
  expect(stdout).toContain('over-budget');
});

test('--times asks live models so often, and the shares are told apart where they differ enough', async () => {
  let asked = 0;
  const url = await answeringServer((request) => {
    asked++;
    const isWrong = request.includes('## clerk') && asked % 5 !== 0;
    return { content: isWrong ? 'Nowhere.' : 'It is here.', input: 300 };
  });
  folder = folderWith({
    ...TEAM,
    'cadre.yaml': `providers: { local: { kind: openai-compatible, baseUrl: "${url}" } }\ndefaults: { models: [local/a] }\n`,
    'boss.md': file('description: Leads.\nagents: [clerk]\nbudget: { tokens: 100000 }', 'You lead.'),
    'boss.test.yaml': `agent: boss\ncases: { a thing is found: { input: Where is it?, expect: { answer: { contains: It is here } } } }\n`,
  });
  const { stdout, exit } = await folder.cadre(['test', '--alone', '--times', '12', '--live', '--at-once', '1']);
  expect(exit).toBe(0);
  expect(asked).toBe(24);
  expect(stdout).toMatch(/^team +12 of 12/m);
  expect(stdout).toMatch(/team and alone differ: 12 of 12 against \d of 12 passed/);
  for (const wrong of [
    ['--times', '0', '--live'],
    ['--times', '3'],
  ])
    expect(await folder.cadre(['test', ...wrong])).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('--times'),
    });
});
