import { expect, test } from 'vitest';
import { assemble } from '../link/assemble.ts';

const CONFIG = `models: {m: {use: openai/x}}
defaults: {models: [m]}
mcpServers: {mail: {command: d, deny: [drop]}}
restTools: {weather: {description: d, url: "http://x/{city}", input: {schema: {type: object, properties: {city: {type: string}}}}}}
`;

function check(yaml: string, config = '', knownTools: readonly string[] = []): readonly string[] {
  const texts = new Map([
    ['cadre.yaml', CONFIG + config],
    ['a.md', `---\n${yaml}\n---\nx`],
  ]);
  const { diagnostics } = assemble({ folder: '/cadre', texts, others: new Set() }, [], { knownTools });
  return diagnostics.map(
    ({ file, line, column, code, message, help }) => `${file}:${line}:${column} ${code} ${message} | ${help}`,
  );
}

test.each([
  'tools: [files]\ndeny: [shell, "web(example.com)", read_file, "files/*", "mcp:mail/send", "mcp:mail/drop", "mcp:mail/*", weather, "rest:weather(city=*)"]',
  'tools: ["mcp:mail"]\napprove: ["mcp:mail/send"]\ntrust: ["mcp:mail/send(to=*@example.com)"]',
  'tools: ["files:write"]\napprove: [edit_file]\ntrust: ["files:write", "edit_file(path=src/**)"]',
  'tools: [files]\napprove: ["read_file(path=secrets/**)"]\ndeny: ["read_file(path=secrets/keys/**)"]',
  'tools: [shell]\ndeny: ["shell(git push *)", "shell(git push origin)"]',
])('%j has no finding', (yaml) => {
  expect(check(yaml)).toEqual([]);
});

test.each([
  ['deny: [shel]', 'deny/unknown `deny`: there is no tool source "shel" | Did you mean "shell"?'],
  ['deny: ["mcp:post/send"]', 'deny/unknown `deny`: there is no tool source "mcp:post/send"'],
  [
    'deny: ["rest:wether"]',
    'deny/unknown `deny`: there is no tool source "rest:wether" | Did you mean "rest:weather"?',
  ],
  ['deny: ["files/reed_file"]', 'deny/unknown `deny`: files has no tool "reed_file" | Did you mean "files/read_file"?'],
  ['deny: [agent__b]', 'deny/unknown `deny`: there is no tool source "agent__b" | Rules are about tools.'],
  ['deny: [final_report]', 'Rules are about tools.'],
  ['deny: ["shell(ls; rm)"]', 'rule/brackets "shell(ls; rm)": ; has a meaning of its own in a shell'],
  ['deny: ["shell(npm"]', 'rule/brackets `deny` takes a tool or a source'],
  ['deny: ["web(*.example.com)"]', 'a host is written out, without *'],
  [
    'deny: ["read_file(secrets/**)"]',
    '"read_file(secrets/**)" does not say which argument is meant | Write it like read_file(path=…)',
  ],
  [
    'deny: ["read_file(file=a)"]',
    'rule/brackets "read_file(file=a)": read_file has no argument "file" | It has: path, from, lines.',
  ],
  ['deny: ["files(to=a)"]', 'files has no argument "to" | It has: path, from, lines, depth, query, regex.'],
  ['deny: ["weather(town=a)"]', 'weather has no argument "town" | It has: city.'],
  [
    'tools: [files]\napprove: ["read_file(file=a)"]',
    'a.md:3:11 rule/brackets "read_file(file=a)": read_file has no argument',
  ],
  [
    'tools: ["files:write"]\ntrust: ["edit_file(file=a)"]',
    'a.md:3:9 trust/invalid "edit_file(file=a)": edit_file has no argument',
  ],
])('%s is an error', (yaml, expected) => {
  const found = check(yaml);
  expect(found).toHaveLength(1);
  expect(found[0]).toContain(expected);
});

test.each([
  ['tools: [shell]\ntrust: [shell]\ndeny: [shell]', '"shell" under `trust` never holds, because "shell" under `deny`'],
  ['tools: [shell]\ntrust: ["shell(npm test)"]\ndeny: ["shell(npm *)"]', '"shell(npm test)" under `trust` never holds'],
  ['tools: [shell]\ntrust: [shell]\napprove: [run_command]', '"shell" under `trust` never holds'],
  ['tools: [web]\ntrust: ["web(a.com:80)"]\ndeny: ["web(A.com)"]', '"web(a.com:80)" under `trust` never holds'],
  [
    'tools: ["files:write"]\ntrust: ["edit_file(path=src/gen/**)"]\ndeny: ["files:write(path=src/**)"]',
    '"edit_file(path=src/gen/**)" under `trust` never holds, because "files:write(path=src/**)" under `deny`',
  ],
  [
    'tools: ["mcp:mail"]\napprove: ["mcp:mail/send(to=*@a.com)"]\ntrust: ["mcp:mail/send(to=ann@a.com)"]',
    '"mcp:mail/send(to=ann@a.com)" under `trust` never holds, because "mcp:mail/send(to=*@a.com)" under `approve`',
  ],
  [
    'tools: ["mcp:mail"]\napprove: ["mcp:mail/send"]\ndeny: ["mcp:mail/*"]',
    '"mcp:mail/send" under `approve` never holds',
  ],
  [
    'tools: ["mcp:mail"]\napprove: ["mcp:mail/send"]\ndeny: ["mcp:mail/send(to=*)"]',
    '"mcp:mail/send" under `approve` never holds',
  ],
])('%s has an entry that never holds', (yaml, expected) => {
  const found = check(yaml);
  expect(found).toHaveLength(1);
  expect(found[0]).toMatch(/^a\.md:[34]:/);
  expect(found[0]).toContain(`rule/dead ${expected}`);
});

test('a deny of cadre.yaml is checked where it stands, once, and counts before the rules of a file', () => {
  const yaml = 'tools: [shell]\napprove: [shell]';
  expect(check(yaml, 'limits: {deny: [shel]}\n')).toEqual([expect.stringContaining('cadre.yaml:5:17 deny/unknown')]);
  expect(check(yaml, 'limits: {deny: ["shell(*)"]}\n')).toEqual([
    expect.stringContaining('cadre.yaml:5:17 rule/brackets'),
  ]);
  expect(check(yaml, 'limits: {deny: [shell]}\n')).toEqual([
    expect.stringContaining('a.md:3:11 rule/dead "shell" under `approve` never holds, because "shell" under `deny`'),
  ]);
});

test('a function is known if a program or a file brings it', () => {
  expect(check('tools: [f]\ndeny: ["f(a=1)"]', '', ['f'])).toEqual([]);
  expect(check('deny: [f]')).toHaveLength(1);
});
