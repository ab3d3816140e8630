import { expect, test } from 'vitest';
import type { Graph } from '../../../../src/server/protocol.ts';
import { nextBox, pictureOf, reachableGraph } from './picture.ts';

const node = (name: string, file = `${name}.md`) => ({ kind: 'agent', name, file, models: [], patterns: [] }) as const;
const edge = (from: string, to: string) => ({ from, to, kind: 'agents', role: 'agent', label: 'agents' });
const NONE: ReadonlySet<string> = new Set();

const small: Graph = {
  nodes: ['lead', 'desk', 'clerk', 'stranger'].map((name) => node(name)),
  edges: [edge('lead', 'desk'), edge('lead', 'clerk'), edge('stranger', 'desk')],
};

test('only what the run can reach is drawn, and where does not depend on what has happened', () => {
  const graph = reachableGraph(small, 'lead');
  expect(graph.nodes.map(({ name }) => name)).toEqual(['lead', 'desk', 'clerk']);
  const before = pictureOf(graph, { used: NONE, opened: NONE });
  expect(pictureOf(graph, { used: new Set(['lead', 'desk']), opened: NONE })).toEqual(before);
  expect(before.lines).toHaveLength(2);
});

test('arrow keys lead along a line, and to the next box of a column', () => {
  const picture = pictureOf(reachableGraph(small, 'lead'), { used: NONE, opened: NONE });
  const [above, below] = picture.boxes.filter(({ layer }) => layer === 1).sort((one, other) => one.top - other.top);
  expect(nextBox(picture, 'desk', 'ArrowLeft')).toBe('lead');
  expect(['desk', 'clerk']).toContain(nextBox(picture, 'lead', 'ArrowRight'));
  expect(nextBox(picture, above!.name, 'ArrowDown')).toBe(below!.name);
  expect(nextBox(picture, below!.name, 'ArrowDown')).toBeUndefined();
});

test('folders of very many agents are closed until one of theirs has worked, or a hand opens them', () => {
  const far = Array.from({ length: 70 }, (_, index) => `far-${index}`);
  const near = ['near-1', 'near-2'];
  const graph: Graph = {
    nodes: [
      node('lead'),
      ...far.map((name) => node(name, `far/${name}.md`)),
      ...near.map((name) => node(name, `near/${name}.md`)),
    ],
    edges: [...far, ...near].map((name) => edge('lead', name)).concat(edge('far-1', 'near-1'), edge('near-2', 'far-2')),
  };
  const names = (used: ReadonlySet<string>, opened = NONE): readonly string[] =>
    pictureOf(graph, { used, opened }).boxes.map(({ name }) => name);
  expect(names(NONE)).toEqual(['lead', 'far/', 'near/']);
  expect(names(new Set(['lead', 'near-2']))).toEqual(['lead', 'far/', 'near-1', 'near-2']);
  expect(names(NONE, new Set(['far/']))).toHaveLength(72);
  const closed = pictureOf(graph, { used: NONE, opened: NONE });
  // One line for each pair, whichever agents it stands for.
  expect(closed.lines.map(({ from, to }) => `${from} ${to}`)).toEqual([
    'lead far/',
    'lead near/',
    'far/ near/',
    'near/ far/',
  ]);
});
