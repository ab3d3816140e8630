import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { assemble } from '../link/assemble.ts';
import { cadreFromTexts } from '../load.ts';
import { ALL_KEYS } from '../read/keys.ts';
import { agentTemplate, EXAMPLES, fullAgentTemplate, shortAgentTemplate } from './template.ts';

const findings = (texts: ReadonlyMap<string, string>) =>
  assemble({ folder: '/c', texts, others: new Set() }, [], {}).diagnostics;

test('the template of a new agent checks without a finding and shows every key', () => {
  const text = fullAgentTemplate('front-desk');
  expect(findings(new Map([['front-desk.md', text]]))).toEqual([]);
  for (const key of Object.keys(ALL_KEYS)) expect(text).toMatch(new RegExp(`^(# )?${key}:`, 'm'));
  expect(text).toContain('name: front-desk');
  expect(text).toContain('\nmaxTurns: 10\n');
  expect(text).toContain('\nmodelTimeout: 10m\n');
});

test('the guidance of next says that it always runs, and what the downstream needs', () => {
  const text = fullAgentTemplate('a').replaceAll('\n# ', ' ');
  expect(text).toContain('always runs on this one’s answer; nothing can skip it');
  expect(text).toContain('It needs a description, a model, and an input that the answer can satisfy');
});

test('the defaults of the cadre are the values of a new agent', () => {
  const texts = new Map([
    ['cadre.yaml', 'models: {fast: {use: openai/x}}\ndefaults: {models: [fast], maxTurns: 12}\n'],
  ]);
  const text = fullAgentTemplate('a', texts);
  expect(text).toContain('maxTurns: 12\n');
  expect(text).toContain('(This value: defaults of cadre.yaml.)');
  expect(findings(new Map([...texts, ['a.md', text]]))).toEqual([]);
});

test('without a default model the first alias of the cadre is proposed', () => {
  const texts = new Map([['cadre.yaml', 'models: {fast: {use: openai/x}, slow: {use: openai/y}}\n']]);
  expect(fullAgentTemplate('a', texts)).toContain('models:\n  - fast\n');
});

test('the template of an agent has the values that hold for it', () => {
  const texts = new Map([
    ['cadre.yaml', 'defaults: {models: [openai/x], maxRetries: 2}\nlimits: {maxTurns: 8}\n'],
    ['a.md', '---\ndescription: "Says: hello"\nteam:\n  members: [b]\n  supervisor: self\ntimeout: 90\n---\nx'],
    ['b.md', '---\ndescription: B\n---\nx'],
  ]);
  const cadre = cadreFromTexts('/c', texts);
  const text = agentTemplate(cadre, 'a') ?? '';
  expect(parse(text.split('---\n')[1] ?? '')).toMatchObject({
    name: 'a',
    description: 'Says: hello',
    models: ['openai/x'],
    team: { members: ['b'], supervisor: 'self' },
    maxTurns: 8,
    maxRetries: 2,
    timeout: 90,
    toolTimeout: '5m',
  });
  expect(findings(new Map([...texts, ['a.md', `${text}x`]]))).toEqual([]);
  expect(agentTemplate(cadre, 'nobody')).toBeUndefined();
});

test('every example is right once its # is removed', () => {
  const names = ['other-agent', 'billing', 'support', 'legal', 'risk', 'analyst', 'developer'];
  const others = names.map((name) => [`${name}.md`, '---\ndescription: d\nmodels: openai/x\n---\nx'] as const);
  for (const [key, example] of Object.entries(EXAMPLES)) {
    const models = key === 'models' ? '' : 'models: openai/x\n';
    expect(findings(new Map([['my-agent.md', `---\n${models}${example}\n---\nx`], ...others])), example).toEqual([]);
  }
});

test.each([
  ['', 'models: [openai/gpt-5-mini]'],
  ['models: {fast: {use: openai/x}}\n', 'models: [fast]'],
  ['defaults: {models: [openai/x]}\n', undefined],
])(
  'a short template in a cadre with %j checks without a finding, and names a model where none is given',
  (config, models) => {
    const texts = new Map(config === '' ? [] : [['cadre.yaml', config]]);
    const text = shortAgentTemplate('clerk', texts);
    expect(findings(new Map([...texts, ['clerk.md', text]]))).toEqual([]);
    expect(/^models:.*$/m.exec(text)?.[0]).toBe(models);
    expect(text.split('\n').length).toBeLessThan(12);
    const whole = text
      .replaceAll(/^# (\w+: \S+(?: \S+\])?) *#.*$/gm, '$1')
      .replace('agents: [other-agent]', 'agents: []');
    expect(findings(new Map([...texts, ['clerk.md', whole]]))).toEqual([]);
  },
);
