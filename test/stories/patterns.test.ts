// The requests that agents get when patterns lead into one another, through the built command line: each cadre ends in
// an agent that repeats its input.

import { afterEach, expect, test } from 'vitest';
import { type Folder, folderWith } from '../support/cli.ts';

const CONFIG = `providers: { demo: { kind: scripted, script: ./demo.script.yaml } }
models: { fast: { use: demo/small, price: { input: 1, output: 2 } } }
defaults: { models: [fast], maxRetries: 1 }
`;
const ORDER =
  'input: { format: json, schema: { type: object, properties: { order: { type: integer } }, required: [order] } }';

const folders: Folder[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) folder.remove();
});

function cadre(agents: Readonly<Record<string, string>>, script: string): Folder {
  const files = Object.entries(agents).map(([name, keys]) => [
    `${name}.md`,
    `---\ndescription: Is ${name}\n${keys}\n---\nDo it.\n`,
  ]);
  const folder = folderWith({ ...Object.fromEntries(files), 'cadre.yaml': CONFIG, 'demo.script.yaml': script });
  folders.push(folder);
  return folder;
}

/** The answer of a run that is right in itself: it replays. */
async function answer(folder: Folder, agent: string, input: string): Promise<string> {
  const ran = await folder.cadre(['run', agent, input]);
  expect(ran, ran.stderr).toMatchObject({ exit: 0 });
  expect((await folder.cadre(['replay', 'last'])).stdout).toContain('identical');
  return ran.stdout.trimEnd();
}

test('a handoff with the request into a router with advisors tells the original request once', async () => {
  const folder = cadre(
    {
      writer: 'handoff: { to: desk, pass: request+answer }',
      desk: 'router: { destinations: [lead] }\nadvisors: [law]',
      law: '',
      lead: 'advisors: [law]',
    },
    `agents:
  writer: [{ answer: A draft. }]
  desk: [{ call: { handoff-to: { agent: lead, message: Yours. } } }]
  law: [{ answer: Fine., repeat: true }]
  lead: [{ answer: "{{input}}" }]
`,
  );
  const found = '## ANALYSIS GATHERED\n\n### From law\n\nFine.';
  expect(await answer(folder, 'writer', 'Tides?')).toBe(
    `## ORIGINAL USER REQUEST\n\nTides?\n\n## ANSWER FROM AGENT \`writer\`\n\nA draft.\n\n` +
      `## MESSAGE FROM AGENT \`desk\` WHO ROUTED THIS REQUEST TO YOU\n\nYours.\n\n${found}\n\n${found}`,
  );
});

test('a router writes the JSON that its destination takes, and mends it; as an advisor such an agent fails the check', async () => {
  const folder = cadre(
    { desk: 'router: { destinations: [orders, talk] }', orders: ORDER, talk: '' },
    `agents:
  desk:
    - { call: { handoff-to: { agent: orders, message: Order 17 } } }
    - { when: { last: "$.input is required: orders takes JSON" }, call: { handoff-to: { agent: orders, input: { order: "17" } } } }
    - { when: { last: "$.input.order must be integer" }, call: { handoff-to: { agent: orders, input: { order: 17 } } } }
  orders: [{ answer: "{{input}}" }]
`,
  );
  expect(await answer(folder, 'desk', 'Where is order 17?')).toBe('{"order":17}');
  folder.write('desk.md', '---\ndescription: Is desk\nadvisors: [orders]\n---\nDo it.\n');
  const checked = await folder.cadre(['check']);
  expect(checked.exit).toBe(1);
  expect(checked.stdout).toContain('desk.md:3:12 error advisors/json-input: "orders" takes json (orders.md:3)');
  expect(checked.stdout).toContain('orders.md:3:8 error advisors/json-input');
  expect(await folder.cadre(['run', 'desk', 'Where is order 17?'])).toMatchObject({ exit: 1 });
});

test('an upstream is asked for the format that its downstream takes, and for its own where that takes what comes', async () => {
  const script = `agents:
  first: [{ report: { order: 17 } }]
  second: [{ answer: "{{input}}" }]
`;
  const output = ORDER.replace('input', 'output');
  const free = cadre({ first: `next: second\n${output}`, second: '' }, script);
  expect(await answer(free, 'first', 'go')).toBe('{"order":17}');
  expect((await free.cadre(['check'])).stderr).toContain('0 errors, 0 warnings');
  const shown = JSON.parse((await free.cadre(['show', 'last', '--json'])).stdout) as Record<string, unknown>;
  expect(shown['outcome']).toMatchObject({ chainedStages: ['agent__first', 'agent__second'] });

  const strict = cadre({ first: `next: second\n${output}`, second: 'input: { format: markdown }' }, script);
  const checked = await strict.cadre(['check']);
  expect(checked.exit).toBe(0);
  expect(checked.stdout).toContain('first.md:4:33 warning chain/overrides-output');
  expect(checked.stdout).toContain('second.md:3:8 warning chain/overrides-output');
  expect((await strict.cadre(['help', 'second'])).stdout).toContain('{format: text | markdown | json, schema, accepts');
});

test('a child reads what an earlier one was given, and refers to a run by the beginning of its label', async () => {
  const folder = cadre(
    { boss: 'spawn: true', worker: '' },
    `agents:
  boss:
    - calls:
        - sessions_spawn: { task: look, label: researcher, agent: worker, sharedContext: { goal: A tide table } }
        - sessions_spawn: { task: draw, label: designer, agent: worker, sharedContext: { $research: reference } }
    - { call: { sessions_wait: {} } }
    - { when: { tool: sessions_wait }, answer: "{{last}}" }
  worker:
    - { when: { input: look }, answer: Blue. }
    - { when: { turn: 1 }, calls: [{ shared_context: { key: goal } }, { shared_context: { key: research } }] }
    - { when: { tool: shared_context }, answer: "Drawn for {{result.shared_context}}" }
`,
  );
  await answer(folder, 'boss', 'go');
  const told = JSON.stringify(folder.journal());
  expect(told).toContain('[Shared Context]:\\n- research: \\"Blue.\\"');
  expect(told).toContain('"family":{"goal":"A tide table"}');
  expect(told).not.toContain('- research: \\"Blue.\\"\\n- goal');
  expect(told).toMatch(/"status":"ok","text":"\\"A tide table\\""/);
});
