import { expect, test } from 'vitest';
import { cadreFromTexts } from '../../load.ts';

const REVIEWER =
  '---\nname: reviewer\ndescription: Reviews: everything\nmodel: sonnet\ntools: Read, Grep, WebSearch\ncolor: red\n---\n\nYou review.\n';
const load = (texts: Readonly<Record<string, string>>) => cadreFromTexts('/project', new Map(Object.entries(texts)));

test('an agent of .claude/agents is read by the table of an import', () => {
  const { agents } = load({ '.claude/agents/reviewer.md': REVIEWER });
  expect(agents.get('reviewer')).toMatchObject({
    description: 'Reviews: everything',
    models: ['anthropic/claude-sonnet-5'],
    tools: ['files'],
    system: 'You review.',
  });
});

test('an alias of cadre.yaml says what its model is', () => {
  const config = 'models: { sonnet: { use: openai/x } }\n';
  expect(load({ 'cadre.yaml': config, '.claude/agents/reviewer.md': REVIEWER }).agents.get('reviewer')?.models).toEqual(
    ['sonnet'],
  );
});

test('an agent of another file with the same name takes its place', () => {
  const own = '---\ndescription: Mine.\nmodels: openai/x\n---\nYou review.\n';
  const { agents } = load({ '.claude/agents/reviewer.md': REVIEWER, 'agents/reviewer.md': own });
  expect([...agents.values()].map(({ file }) => file)).toEqual(['agents/reviewer.md']);
});

test('a server that is not declared is an error at its place, and blocks only that agent', () => {
  const wanting = REVIEWER.replace('reviewer', 'wanting').replace('WebSearch', 'mcp__docs__find');
  const { agents, faulty } = load({ '.claude/agents/a.md': REVIEWER, '.claude/agents/b.md': wanting });
  expect([...agents.keys()]).toEqual(['reviewer']);
  expect([...faulty!.keys()]).toEqual(['wanting']);
});

test('a restriction holds there too, and one that names tools and keeps none cannot run', () => {
  const plain = REVIEWER.replace('Reviews: everything', 'Reviews.');
  const { agents, faulty } = load({
    '.claude/agents/a.md': REVIEWER,
    '.claude/agents/b.md': plain.replace('reviewer', 'planner').replace(/tools:.*/, 'permissionMode: plan'),
    '.claude/agents/c.md': plain
      .replace('reviewer', 'writer')
      .replace(/tools:.*/, 'permission: { edit: deny, bash: deny }'),
    '.claude/agents/d.md': REVIEWER.replace('reviewer', 'lost').replace('Read, Grep, WebSearch', 'WebSearch'),
  });
  expect([...agents.values()].map(({ name, tools }) => `${name}: ${tools.join(' ')}`)).toEqual([
    'reviewer: files',
    'planner: files web',
    'writer: files web',
  ]);
  expect([...faulty!.keys()]).toEqual(['lost']);
});

test('nothing in its prompt is filled in or included', () => {
  const body = 'Use {{include ./a.md}} and {{name}}.';
  const { agents } = load({
    'cadre.yaml': 'variables: {name: Ada}\n',
    '.claude/agents/reviewer.md': REVIEWER.replace('You review.', body),
  });
  expect(agents.get('reviewer')?.system).toBe(body);
});

test('the same file elsewhere is an agent of ours, whose keys must be known', () => {
  const refusal = (): unknown => load({ 'agents/reviewer.md': REVIEWER });
  expect(refusal).toThrow('yaml/syntax');
});
