import fc from 'fast-check';
import { expect, test } from 'vitest';
import { patternsOf } from '../../../test/support/patterns.ts';
import { assemble } from '../link/assemble.ts';

function check(texts: Readonly<Record<string, string>>) {
  const config = 'defaults: {models: openai/x, description: Does things}\n';
  const all = new Map(Object.entries({ 'cadre.yaml': config, ...texts }));
  const { agents, diagnostics } = assemble({ folder: '/cadre', texts: all, others: new Set() }, [], {});
  const found = diagnostics.map(
    ({ file, line, column, code, message }) => `${file}:${line}:${column} ${code} ${message}`,
  );
  const help = diagnostics.map((one) => one.help);
  return { agents, found, help };
}

const agent = (yaml = ''): string => `---\n${yaml}\n---\nx`;

test.each([
  ['its name', 'billing'],
  ['its name with the prefix', 'agent__billing'],
  ['a path from the file', '../billing.md'],
  ['a longer path from the file', './../desk/../billing.md'],
  ['an absolute path', '/cadre/billing.md'],
  ['an alias', 'money'],
])('an agent is referred to by %s', (_how, ref) => {
  const config = 'defaults: {models: openai/x, description: d}\naliases: {money: ./billing.md}\n';
  const { agents, found } = check({
    'cadre.yaml': config,
    'desk/front.md': agent(`next: ${ref}`),
    'billing.md': agent(),
  });
  expect(found).toEqual([]);
  expect(patternsOf(agents.get('front')!.definition).chain?.steps).toEqual([{ kind: 'agent', to: 'billing' }]);
});

test('a name comes before a path, and a path before an alias', () => {
  const config = 'defaults: {models: openai/x, description: d}\naliases: {b.md: c}\n';
  const { agents } = check({ 'a.md': agent('agents: [b]'), 'b.md': agent('name: other'), 'sub/b.md': agent() });
  expect(patternsOf(agents.get('a')!.definition).agents).toEqual(['b']);
  const shadowed = check({
    'cadre.yaml': config.replace('b.md', 'b'),
    'a.md': agent('agents: [b]'),
    'b.md': agent(),
    'c.md': agent(),
  });
  expect(patternsOf(shadowed.agents.get('a')!.definition).agents).toEqual(['b']);
  expect(shadowed.found[0]).toContain('alias/shadowed');
});

test('an unresolved reference tells what was tried, and the nearest name', () => {
  const { found, help } = check({ 'desk/a.md': agent('next: agent__biling'), 'billing.md': agent() });
  expect(found).toEqual([
    'desk/a.md:2:7 ref/unresolved `next` refers to "agent__biling", and there is no such agent; tried the name "biling", the file desk/agent__biling and the aliases of cadre.yaml',
  ]);
  expect(help).toEqual(['Did you mean "billing"?']);
});

test.each([
  ['agents: [x]', '2:10', '`agents`'],
  ['next: {to: x}', '2:12', '`next`'],
  ['next: {sequence: [b, {to: b, else: x}]}', '2:36', '`next.else`'],
  ['handoff: {to: b, else: x}', '2:24', '`handoff.else`'],
  ['router: {destinations: [b, x]}', '2:28', '`router.destinations`'],
  ['advisors: [x]', '2:12', '`advisors`'],
  ['team: {members: [x], supervisor: self}', '2:18', '`team.members`'],
  ['team: {members: [b], supervisor: x}', '2:34', '`team.supervisor`'],
  ['spawn: {agents: [x]}', '2:18', '`spawn.agents`'],
])('%s names where the unresolved reference is', (yaml, place, key) => {
  const { found } = check({ 'a.md': agent(yaml), 'b.md': agent() });
  expect(found.filter((one) => one.includes('ref/unresolved'))).toEqual([
    expect.stringContaining(`a.md:${place} ref/unresolved ${key} refers to "x"`),
  ]);
});

test('an agent outside the folder cannot be referred to', () => {
  expect(check({ 'a.md': agent('next: ../../b.md') }).help).toEqual([
    'An agent must be below the folder of its cadre.',
  ]);
});

test('two agents of one name are an error that names both files', () => {
  const { found } = check({ 'a.md': agent(), 'sub/a.md': agent(), 'z.md': agent('name: a') });
  expect(found).toEqual([
    'sub/a.md:1:1 name/duplicate two agents are called "a": a.md and sub/a.md',
    'z.md:2:7 name/duplicate two agents are called "a": a.md and z.md',
  ]);
});

test('an alias that leads nowhere is told in cadre.yaml', () => {
  const config = 'defaults: {models: openai/x}\naliases: {money: ./biling.md}\n';
  expect(check({ 'cadre.yaml': config, 'a.md': agent() }).found[0]).toMatch(
    /^cadre\.yaml:2:18 ref\/unresolved `aliases\.money`/,
  );
});

const cycles = (found: readonly string[]) =>
  found.filter((one) => one.includes('recursion')).map((one) => one.slice(one.indexOf('recursion')));

test.each([
  'next: c',
  'handoff: c',
  'handoff: {to: d, else: c}',
  'router: {destinations: [c]}',
  'advisors: [c]',
  'team: {members: [c], supervisor: self}',
  'team: {members: [d], supervisor: c}',
  'agents: [c]',
])('a cycle through %s is found, whatever the way back', (yaml) => {
  for (const back of ['next: b', 'agents: [b]', 'advisors: [b]', 'router: {destinations: [b]}']) {
    const { found } = check({ 'a.md': agent('next: b'), 'b.md': agent(yaml), 'c.md': agent(back), 'd.md': agent() });
    expect(cycles(found)).toEqual(['recursion detected in chain b → c → b']);
  }
});

test('each distinct cycle is told once, in order, at the reference that closes it', () => {
  const { found } = check({
    'z.md': agent('next: z'),
    'a.md': agent('agents: [b, c]'),
    'b.md': agent('next: a'),
    'c.md': agent('next: a'),
  });
  expect(found).toEqual([
    'b.md:2:7 graph/cycle recursion detected in chain a → b → a',
    'c.md:2:7 graph/cycle recursion detected in chain a → c → a',
    'z.md:2:7 graph/cycle recursion detected in chain z → z',
  ]);
});

test('supervising oneself and spawning oneself are no cycles', () => {
  expect(check({ 'a.md': agent('team: {members: [b], supervisor: self}'), 'b.md': agent() }).found).toEqual([]);
  expect(
    check({ 'a.md': agent('team: {members: [b], supervisor: a}'), 'b.md': agent('spawn: {agents: [a, b]}') }).found,
  ).toEqual([]);
});

test('a diamond is no cycle, and a chain of thousands is no trouble', () => {
  expect(
    check({ 'a.md': agent('agents: [b, c]'), 'b.md': agent('next: d'), 'c.md': agent('next: d'), 'd.md': agent() })
      .found,
  ).toEqual([]);
  const long = Object.fromEntries(
    Array.from({ length: 5000 }, (_, i) => [`a${i}.md`, agent(i < 4999 ? `next: a${i + 1}` : 'next: a0')]),
  );
  expect(cycles(check(long).found)).toHaveLength(1);
});

test('a cycle is found exactly where there is one', () => {
  const edges = fc.uniqueArray(fc.tuple(fc.nat(5), fc.nat(5)), { maxLength: 10, selector: (edge) => edge.join() });
  fc.assert(
    fc.property(edges, (pairs) => {
      const texts = Array.from({ length: 6 }, (_, i) => {
        const to = pairs.filter(([from]) => from === i).map(([, target]) => `n${target}`);
        return [`n${i}.md`, agent(`agents: [${to.join(', ')}]`)];
      });
      const reach = (from: number, seen: Set<number>): Set<number> => {
        for (const [a, b] of pairs) if (a === from && !seen.has(b)) reach(b, seen.add(b));
        return seen;
      };
      const cyclic = pairs.some(([from]) => reach(from, new Set()).has(from));
      expect(cycles(check(Object.fromEntries(texts)).found).length > 0).toBe(cyclic);
    }),
  );
});
