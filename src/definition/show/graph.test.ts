import { expect, test } from 'vitest';
import { assemble } from '../link/assemble.ts';
import { layoutOf } from './graph/layout.ts';
import { graphDot, graphJson, graphMermaid } from './graph/source.ts';
import { graphSvg } from './graph/svg.ts';
import { graphText } from './graph/text.ts';
import { graphOf, joinGraphs } from './graph.ts';

function graph(agents: Readonly<Record<string, string>>) {
  const files = Object.entries(agents).map(([name, yaml]) => [`${name}.md`, `---\n${yaml}\n---\nx`] as const);
  const config = ['cadre.yaml', 'defaults: {models: openai/x, description: "Says <hi> & \\"bye\\""}\n'] as const;
  const assembly = assemble({ folder: '/c', texts: new Map([config, ...files]), others: new Set() }, [], {});
  expect(assembly.diagnostics).toEqual([]);
  return graphOf({ agents: new Map([...assembly.agents].map(([name, { definition }]) => [name, definition])) });
}

const desk = graph({
  audit: '',
  billing: 'next: {to: audit, else: clerk}',
  clerk: 'chat: true',
  front: 'router: {destinations: [billing, panel]}\nadvisors: [clerk]',
  panel: 'team: {members: [audit], supervisor: self}\nagents: [billing]',
});

test('the text tree begins with who is not referred to, and draws each agent’s edges once', () => {
  expect(graphText(desk)).toBe(
    [
      'front',
      '├─ advisors → clerk (chat)',
      '├─ router → billing',
      '│  ├─ next → audit',
      '│  └─ next else → clerk (chat)',
      '└─ router → panel',
      '   ├─ team → audit',
      '   └─ agents → billing (see above)',
    ].join('\n'),
  );
});

test('stages of a sequence are numbered, and a supervisor is told from members', () => {
  const { edges } = graph({ a: 'next: {sequence: [b, c]}', b: '', c: '', t: 'team: {members: [b], supervisor: c}' });
  expect(edges.map(({ from, to, label }) => `${from} ${label} ${to}`)).toEqual([
    'a next 1 b',
    'a next 2 c',
    't team b',
    't team supervisor c',
  ]);
});

test('spawn leads to those who may be spawned, and subagent to a helper of the agent’s own', () => {
  const { nodes, edges } = graph({ boss: 'spawn: {agents: [b]}\nsubagent: true', b: 'subagent: {enabled: false}' });
  expect(edges.map(({ from, label, to }) => `${from} ${label} ${to}`)).toEqual([
    'boss subagent boss/subagent',
    'boss spawn b',
  ]);
  expect(nodes.map(({ kind, name }) => `${kind} ${name}`)).toEqual(['agent b', 'agent boss', 'helper boss/subagent']);
});

test('a circle of spawning is drawn in every form, and leaves no agent out', () => {
  const circle = graph({ a: 'spawn: {agents: [a, b]}', b: 'spawn: {agents: [a]}\nnext: c', c: 'spawn: true' });
  expect(graphText(circle)).toBe(
    [
      'a',
      '├─ spawn → a (see above)',
      '└─ spawn → b',
      '   ├─ spawn → a (see above)',
      '   └─ next → c',
      '      ├─ spawn → a (see above)',
      '      ├─ spawn → b (see above)',
      '      └─ spawn → c (see above)',
    ].join('\n'),
  );
  const svg = graphSvg(circle);
  expect(svg.match(/marker-end=/g)).toHaveLength(circle.edges.length);
  expect(svg).not.toMatch(/NaN|undefined|Infinity/);
  const { layers } = layoutOf(circle);
  expect(layers.map((layer) => layer.map(({ name }) => name))).toEqual([['a'], ['b'], ['c']]);
  expect(graphMermaid(circle).match(/-->|-\.->/g)).toHaveLength(circle.edges.length);
});

test('several cadres make one graph, with the cadre before each name', () => {
  const one = graph({ a: 'next: b', b: '' });
  const both = joinGraphs([
    { prefix: 'x/', graph: one },
    { prefix: 'y/', graph: one },
  ]);
  expect(graphText(both)).toBe('x/a\n└─ next → x/b\ny/a\n└─ next → y/b');
  expect(both.nodes.map(({ file }) => file)).toEqual(['x/a.md', 'x/b.md', 'y/a.md', 'y/b.md']);
});

test('Mermaid, DOT and JSON hold every agent and every edge', () => {
  expect(graphMermaid(desk)).toContain('flowchart LR\n  n0["audit"]');
  expect(graphMermaid(desk).match(/-->|-\.->/g)).toHaveLength(desk.edges.length);
  expect(graphDot(desk)).toContain('"front" -> "billing" [label="router"];');
  expect(graphDot(desk)).toContain('tooltip="Says <hi> & \\"bye\\""');
  expect(JSON.parse(graphJson(desk))).toEqual({ version: 1, ...desk });
});

test('the picture has a box for every agent, a line for every edge, and no raw text', () => {
  const svg = graphSvg(desk);
  expect(svg.match(/<rect /g)).toHaveLength(5);
  expect(svg.match(/marker-end=/g)).toHaveLength(desk.edges.length);
  expect(svg).toContain('<title>Says &lt;hi&gt; &amp; &quot;bye&quot;</title>');
  expect(svg).not.toMatch(/NaN|undefined|Infinity/);
});

test('boxes never overlap, and every line goes from left to right', () => {
  const many = Object.fromEntries(
    Array.from({ length: 60 }, (_, i) => [
      `n${i}`,
      `agents: [${[i * 2 + 1, i * 2 + 2, i + 7]
        .filter((j) => j < 60 && j > i)
        .filter((j, at, all) => all.indexOf(j) === at)
        .map((j) => `n${j}`)
        .join(', ')}]`,
    ]),
  );
  const limits = 'limits: {maxDepth: 60}';
  const files = Object.entries(many).map(([name, yaml]) => [`${name}.md`, `---\n${yaml}\n---\nx`] as const);
  const { agents } = assemble(
    { folder: '/c', texts: new Map([['cadre.yaml', limits], ...files]), others: new Set() },
    [],
    {},
  );
  const { layers, routes } = layoutOf(
    graphOf({ agents: new Map([...agents].map(([name, { definition }]) => [name, definition])) }),
  );
  for (const layer of layers) {
    const sorted = layer.toSorted((a, b) => a.y - b.y);
    for (let index = 1; index < sorted.length; index++) {
      expect(sorted[index]!.y).toBeGreaterThanOrEqual(sorted[index - 1]!.y + sorted[index - 1]!.height);
    }
  }
  for (const route of routes)
    expect(route.map((spot) => spot.layer)).toEqual(route.map((_, step) => route[0]!.layer + step));
});
