// Sessions that are continued, as a user meets them: a team's later cycles and clarifications, through the built CLI.

import { afterEach, expect, test } from 'vitest';
import { type Folder, folderWith } from '../support/cli.ts';

let folder: Folder | undefined;
afterEach(() => folder?.remove());

const CONFIG = `providers:
  demo: { kind: scripted, script: ./demo.script.yaml }
models:
  small: { use: demo/any, maxOutputTokens: 100, price: { input: 1, output: 1 } }
defaults: { models: [small] }
`;
const agent = (name: string, frontmatter: string): string =>
  `---\ndescription: The ${name}.\n${frontmatter}\n---\nYou are ${name}.\n`;
const withScript = (script: string, agents: Readonly<Record<string, string>>): Folder => {
  folder = folderWith({
    'cadre.yaml': CONFIG,
    'demo.script.yaml': script,
    ...Object.fromEntries(Object.entries(agents).map(([name, text]) => [`${name}.md`, agent(name, text)])),
  });
  return folder;
};
const identical = async (of: Folder): Promise<void> => {
  expect((await of.cadre(['replay', 'last'])).stdout).toContain('identical');
};
const CALLS = `    - call: { agent__kid: { input: go, reason: why } }
    - when: { tool: agent__kid, last: "/id \`([^\`]+)\`/" }
      call: { agent__ask_clarification: { id: "{{match.1}}", question: "more?" } }
    - when: { tool: agent__ask_clarification, last: '"answered"', turn: 3 }
      call: { agent__ask_clarification: { id: "kid@0.2", question: "and more?" } }
    - when: { tool: agent__ask_clarification }
      answer: "{{last}}"`;

test('a team that never ends is held to the turns of its supervisor, as the bound says', async () => {
  const of = withScript(
    'agents:\n  lead:\n    - { call: { team_broadcast: { message: more } }, repeat: true }\n  ann:\n    - { call: { team_broadcast: { message: here } }, repeat: true }\n',
    { lead: 'team: { members: [ann], supervisor: self, supervisorMaxTurns: 3, memberMaxTurns: 9 }', ann: '' },
  );
  const bound = await of.cadre(['check', '--bound']);
  expect(bound.stdout).toMatch(/lead\D+12\b/);
  const ran = await of.cadre(['run', 'lead', 'go']);
  expect(ran).toMatchObject({ exit: 3, stdout: '' });
  const { ledger } = JSON.parse((await of.cadre(['show', 'last', '--json'])).stdout) as { ledger: { agent: string }[] };
  expect(ledger.map((line) => line.agent)).toEqual(['ann', 'lead', 'ann', 'lead', 'ann', 'lead']);
  await identical(of);
});

test('a schema of the caller binds a separate supervisor from the second cycle on', async () => {
  const of = withScript(
    `agents:
  chair:
    - call: { team_broadcast: { message: more } }
    - answer: We ship.
    - report: { ship: true }
  ann:
    - { call: { team_broadcast: { message: here } }, repeat: true }
`,
    { lead: 'team: { members: [ann], supervisor: chair }', chair: '', ann: '' },
  );
  of.write('schema.json', '{"type":"object","properties":{"ship":{"type":"boolean"}},"required":["ship"]}');
  const ran = await of.cadre(['run', 'lead', 'ship?', '--output', 'json', '--schema', 'schema.json']);
  expect(ran).toMatchObject({ exit: 0, stdout: '{"ship":true}\n' });
  const end = of.journal().at(-1) as { readonly outcome: object };
  expect(Object.keys(end.outcome).sort()).toEqual(['agent', 'data', 'kind', 'text']);
  await identical(of);
});

test('a budget of a child holds for what it is asked again', async () => {
  const of = withScript(
    `agents:
  lead:
${CALLS}
  kid:
    - { answer: so it is, repeat: true, usage: { input: 600, output: 100 } }
`,
    { lead: 'agents: [kid]', kid: 'chat: true\nbudget: { tokens: 1500 }' },
  );
  const ran = await of.cadre(['run', 'lead', 'go']);
  expect(ran.stdout).toContain('"status":"over-budget"');
  const { ledger } = JSON.parse((await of.cadre(['show', 'last', '--json'])).stdout) as { ledger: { agent: string }[] };
  expect(ledger.filter((line) => line.agent === 'kid')).toHaveLength(2);
  await identical(of);
});

test('a time-out of a child holds for what it is asked again', async () => {
  const of = withScript(
    `agents:
  lead:
${CALLS}
  kid:
    - answer: so it is
    - fault: hang
`,
    { lead: 'agents: [kid]', kid: 'chat: true\ntimeout: 400ms\nmaxRetries: 1' },
  );
  const ran = await of.cadre(['run', 'lead', 'go']);
  expect(ran.stdout).toContain('"status":"timed-out"');
  expect(ran.stdout).toContain('kid did not finish within 400 ms.');
  await identical(of);
});
