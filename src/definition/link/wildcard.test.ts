import { expect, test } from 'vitest';
import { patternsOf } from '../../../test/support/patterns.ts';
import { cadreFromTexts } from '../load.ts';

const agent = (more = ''): string => `---\ndescription: Does things.\nmodels: openai/x\n${more}---\nYou do things.\n`;
const load = (texts: Readonly<Record<string, string>>) => cadreFromTexts('/nowhere', new Map(Object.entries(texts)));
const ALL = 'agents: ["*"]\n';

test('`*` is every other agent with a description', () => {
  const { agents } = load({
    'lead.md': agent(ALL),
    'a.md': agent(),
    'deep/b.md': agent(),
    'silent.md': '---\nmodels: openai/x\n---\nYou do things.\n',
  });
  expect(patternsOf(agents.get('lead')!).agents).toEqual(['a', 'b']);
});

test('`*` makes no cycle: what leads to an agent with `*` is left out', () => {
  const { agents } = load({
    'lead.md': agent(ALL),
    'boss.md': agent('agents: [desk]\n'),
    'desk.md': agent('next: lead\n'),
    'other.md': agent(ALL),
    'worker.md': agent(),
  });
  expect(patternsOf(agents.get('lead')!).agents).toEqual(['worker']);
  expect(patternsOf(agents.get('other')!).agents).toEqual(['worker']);
});

test('`*` beside names adds those that are not named, and keeps the order', () => {
  const { agents } = load({ 'lead.md': agent('agents: [z, "*"]\n'), 'a.md': agent(), 'z.md': agent() });
  expect(patternsOf(agents.get('lead')!).agents).toEqual(['z', 'a']);
});

test('an agent that cannot run is left out of `*`, of a folder and of spawn, and blocks nobody', () => {
  const { agents, faulty } = load({
    'lead.md': agent(`${ALL}spawn: {agents: ["*"]}\n`),
    'folder.md': agent('agents: [./team/]\n'),
    'team/good.md': agent(),
    'team/bad.md': agent('colour: red\n'),
  });
  expect([...faulty!.keys()]).toEqual(['bad']);
  expect(patternsOf(agents.get('lead')!).agents).toEqual(['folder', 'good']);
  expect(patternsOf(agents.get('lead')!).spawn?.agents).toEqual(['folder', 'lead', 'good']);
  expect(patternsOf(agents.get('folder')!).agents).toEqual(['good']);
});

test('a folder as a reference is the agents in it, without the agent itself', () => {
  const { agents } = load({
    'desk/front.md': agent('router: {destinations: [./, ../back]}\n'),
    'desk/a.md': agent(),
    'desk/deep/b.md': agent(),
    'back/c.md': agent(),
    'backup/d.md': agent(),
  });
  expect(patternsOf(agents.get('front')!).router?.destinations).toEqual(['a', 'b', 'c']);
});

test('a folder that leads back is a cycle, and a folder without agents is unresolved', () => {
  const cyclic = { 'lead.md': agent('agents: [./team]\n'), 'team/a.md': agent('agents: [lead]\n') };
  expect(() => load(cyclic)).toThrow('recursion detected in chain a → lead → a');
  expect(() => load({ 'lead.md': agent('agents: [./nobody/]\n') })).toThrow('ref/unresolved');
});

test('a thousand agents that all have `*` are linked at once', () => {
  const texts = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`a${index}.md`, agent(ALL)]));
  expect(patternsOf(load({ ...texts, 'one.md': agent() }).agents.get('a0')!).agents).toEqual(['one']);
});
