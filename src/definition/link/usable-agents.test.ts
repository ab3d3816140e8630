import { expect, test } from 'vitest';
import { patternsOf } from '../../../test/support/patterns.ts';
import { FaultError } from '../../kernel/fault.ts';
import { cadreFromTexts } from '../load.ts';

const agent = (more = ''): string => `---\ndescription: Does things.\nmodels: openai/x\n${more}---\nYou do things.\n`;
const BROKEN = agent('colour: red\n');
const load = (texts: Readonly<Record<string, string>>) => cadreFromTexts('/nowhere', new Map(Object.entries(texts)));

test('an error blocks the agents that lead to its file, over any number of steps, and no others', () => {
  const cadre = load({
    'far.md': agent('next: near\n'),
    'near.md': agent('agents: [bad]\n'),
    'bad.md': BROKEN,
    'free.md': agent('agents: [leaf]\n'),
    'leaf.md': agent(),
  });
  expect([...cadre.agents.keys()]).toEqual(['free', 'leaf']);
  expect([...cadre.faulty!]).toEqual([
    ['bad', 'bad.md'],
    ['near', 'bad.md'],
    ['far', 'bad.md'],
  ]);
  expect([...cadre.texts.keys()]).toEqual(['free.md', 'leaf.md']);
});

test('the texts that a run pins of such a cadre load again without errors', () => {
  const { texts } = load({ 'good.md': agent('spawn: true\n'), 'bad.md': BROKEN });
  const again = cadreFromTexts('/nowhere', texts);
  expect(again.faulty).toBeUndefined();
  expect(patternsOf(again.agents.get('good')!).spawn?.agents).toEqual(['good']);
});

test('two agents of one name both cannot run', () => {
  const cadre = load({ 'a/twin.md': agent(), 'b/twin.md': agent(), 'other.md': agent() });
  expect([...cadre.agents.keys()]).toEqual(['other']);
  expect([...cadre.texts.keys()]).toEqual(['other.md']);
});

test('a cycle blocks all of its agents', () => {
  const cadre = load({ 'a.md': agent('next: b\n'), 'b.md': agent('next: a\n'), 'c.md': agent() });
  expect([...cadre.agents.keys()]).toEqual(['c']);
});

test('an error in cadre.yaml blocks everything', () => {
  expect(() => load({ 'cadre.yaml': 'nothing: here\n', 'a.md': agent() })).toThrow(FaultError);
});
