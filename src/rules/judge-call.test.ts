import { expect, test } from 'vitest';
import { parseCallRule, parseCallRules } from './call-rule.ts';
import type { ComparedCall } from './compared-call.ts';
import { judgeCall } from './judge-call.ts';

interface Written {
  readonly deny?: readonly string[];
  readonly approve?: readonly string[];
  readonly trust?: readonly string[];
  readonly asks?: boolean;
}

const verdict = ({ deny = [], approve = [], trust = [], asks = false }: Written, call: ComparedCall) => {
  const rules = { deny: parseCallRules(deny), approve: parseCallRules(approve), trust: parseCallRules(trust), asks };
  const { kind, rule } = judgeCall(rules, call);
  return rule === undefined ? kind : `${kind} by ${rule.entry}`;
};
const args = (of: unknown): ComparedCall => ({ kind: 'arguments', arguments: of });
const command = (text: string): ComparedCall => ({ kind: 'command', command: text });
const host = (url: string): ComparedCall => ({ kind: 'host', url: URL.canParse(url) ? new URL(url) : undefined });
const paths = (...all: readonly (string | undefined)[]): ComparedCall => ({
  kind: 'arguments',
  arguments: { path: 'as written' },
  paths: { path: all },
});

test.each([
  ['mcp:mail', { name: 'mcp:mail' }],
  ['mcp:mail/*', { name: 'mcp:mail' }],
  ['shell(npm test)', { name: 'shell', inBrackets: 'npm test' }],
  ['mcp:mail/*(to=a)', { name: 'mcp:mail', inBrackets: 'to=a' }],
  ['send(text=(a))', { name: 'send', inBrackets: 'text=(a)' }],
])('%s is of the form', (entry, meant) => {
  expect(parseCallRule(entry)).toEqual({ entry, ...meant });
});

test.each(['', 'shell(npm test', 'a b', 'mcp:x/s*', '*', '(a=b)', 'shell)'])('%j is not of the form', (entry) => {
  expect(parseCallRule(entry)).toBeUndefined();
});

test.each<[Written, unknown, string]>([
  [{}, {}, 'free'],
  [{ asks: true }, {}, 'asks'],
  [{ deny: ['send'], approve: ['send'], trust: ['send'] }, {}, 'denied by send'],
  [{ deny: ['send(to=a)'], trust: ['send'], asks: true }, { to: 'a' }, 'denied by send(to=a)'],
  [{ deny: ['send(to=a)'], trust: ['send'], asks: true }, { to: 'b' }, 'trusted by send'],
  [{ approve: ['send'], trust: ['send(to=a)'] }, { to: 'a' }, 'trusted by send(to=a)'],
  [{ approve: ['send'], trust: ['send(to=a)'] }, { to: 'b' }, 'asks by send'],
  [{ approve: ['send(to=a)'], trust: ['send(to=a)'] }, { to: 'a' }, 'asks by send(to=a)'],
  [{ approve: ['send'], trust: ['send'] }, {}, 'asks by send'],
  [{ approve: ['send(to=a)'], trust: ['send'], asks: true }, { to: 'b' }, 'trusted by send'],
  [{ approve: ['send(to=a)'] }, { to: 'b' }, 'free'],
])('%j says of %j: %s', (rules, input, said) => {
  expect(verdict(rules, args(input))).toBe(said);
});

/** Each is what `deny` must catch, and what `trust` must not let through. */
const DOUBTFUL: readonly unknown[] = [
  {},
  { to: ['evil@x.com'] },
  { to: { address: 'evil@x.com' } },
  { to: null },
  { to: undefined },
  Object.create({ to: 'good@x.com' }),
  null,
  'good@x.com',
  ['good@x.com'],
];

test.each(DOUBTFUL)('an argument that is missing or not plain is in doubt: %j', (input) => {
  const rule = 'send(to=*@x.com)';
  expect(verdict({ deny: [rule] }, args(input))).toBe(`denied by ${rule}`);
  expect(verdict({ approve: [rule] }, args(input))).toBe(`asks by ${rule}`);
  expect(verdict({ trust: [rule], asks: true }, args(input))).toBe('asks');
});

test.each([
  'a@evil.com,b@x.com',
  'a@evil.com;b@x.com',
  'a@evil.com b@x.com',
  'a@evil.com\nb@x.com',
  'a@evil.com\tb@x.com',
  'a@evil.com\u2028b@x.com',
  'a@evil.com\u00a0b@x.com',
  'a\u200b@x.com',
  'a\u202e@x.com',
  'a@x.com\u200b',
  'a@X.com',
])('a * in a trust stands for one visible value: not for %j', (to) => {
  expect(verdict({ trust: ['send(to=*@x.com)'], asks: true }, args({ to }))).toBe('asks');
});

test.each([
  'evil@x.com',
  'ev\u200bil@x.com',
  'evil@x.com\u200b',
  '\u2066evil@x.com\u2069',
  'evil@x.com ',
  '\tevil@x.com\r\n',
  ' \u200bevil@x.com\u200b ',
  `evil@x.${'\u200d'.repeat(100_000)}com`,
])('a deny finds a text under invisible characters and between blanks: %#', (to) => {
  expect(verdict({ deny: ['send(to=evil@x.com)'] }, args({ to }))).toBe('denied by send(to=evil@x.com)');
});

test('numbers and booleans are compared as JSON, and upper and lower case differ', () => {
  expect(verdict({ deny: ['f(port=80)'] }, args({ port: 80 }))).toBe('denied by f(port=80)');
  expect(verdict({ deny: ['f(port=80)'] }, args({ port: 8080 }))).toBe('free');
  expect(verdict({ deny: ['f(force=true)'] }, args({ force: true }))).toBe('denied by f(force=true)');
  expect(verdict({ deny: ['f(to=Ann)'] }, args({ to: 'ann' }))).toBe('free');
});

test('a huge argument with many near hits is compared at once', () => {
  const rule = `f(text=${'*a'.repeat(200)}*b)`;
  expect(verdict({ deny: [rule] }, args({ text: 'a'.repeat(2_000_000) }))).toBe('free');
  expect(verdict({ deny: [rule] }, args({ text: `${'a'.repeat(2_000_000)}b` }))).toBe(`denied by ${rule}`);
});

test.each([
  'git push',
  'git push origin main',
  'git  push',
  `git 'push'`,
  `"git" push`,
  '/usr/bin/git push',
  'env git push',
  'git -C . push',
  'git -c a=b --no-pager push origin',
  'env A=1 git --git-dir=x push',
  'env A=1 git push',
  'nice -n 5 git push',
  'timeout 5 sudo git push',
  `env -S 'git push'`,
  'git push --receive-pack=evil',
  'ls; git push',
  'ls && git push',
  'ls\ngit push',
  'A=1 git push',
  '$(echo git) push',
  'g\\it push',
  'git pu\u200bsh',
  'ls',
])('a deny of git push catches %j, or says that it is no plain command', (text) => {
  const isOther = text === 'ls';
  expect(verdict({ deny: ['shell(git push *)'], asks: true }, command(text))).toBe(
    isOther ? 'asks' : 'denied by shell(git push *)',
  );
});

test('after git a * in a trust matches no option that runs or writes', () => {
  const rules = { trust: ['shell(git diff *)'], asks: true };
  expect(verdict(rules, command('git diff main'))).toBe('trusted by shell(git diff *)');
  expect(verdict(rules, command('git diff --ext-diff'))).toBe('asks');
  expect(verdict({ trust: ['shell'], asks: true }, command('ls; rm x'))).toBe('trusted by shell');
});

test.each([
  'https://evil.example.com/x',
  'https://EVIL.example.com',
  'http://evil.example.com:8080/',
  'https://evil.example.com./',
  'https://a:b@evil.example.com/',
  'https://evil\u3002example.com/',
  'https://ev%69l.example.com/',
  'no address',
])('a deny of a host catches %s', (url) => {
  expect(verdict({ deny: ['web(evil.example.com)'], asks: true }, host(url))).toBe('denied by web(evil.example.com)');
});

test.each(['http://[::ffff:192.0.2.1]/', 'http://[0:0:0:0:0:ffff:c000:201]:8080/', 'http://3221225985/'])(
  'a deny of an IPv4 address catches %s',
  (url) => {
    expect(verdict({ deny: ['web(192.0.2.1)'] }, host(url))).toBe('denied by web(192.0.2.1)');
    expect(verdict({ deny: ['web(192.0.2.2)'] }, host(url))).toBe('free');
  },
);

test('a host with a port is that port alone, and another host is another', () => {
  const rules = { deny: ['web(evil.example.com:8080)'], asks: true };
  expect(verdict(rules, host('http://evil.example.com:8080/'))).toBe('denied by web(evil.example.com:8080)');
  expect(verdict(rules, host('http://evil.example.com/'))).toBe('asks');
  expect(verdict({ deny: ['web(example.com)'] }, host('https://an-example.com'))).toBe('free');
  expect(verdict({ trust: ['web(example.com)'], asks: true }, host('https://example.com./'))).toBe('asks');
});

test('a deny needs one of several paths, and a trust needs all', () => {
  const deny = { deny: ['files:write(path=secrets/**)'] };
  const trust = { trust: ['files:write(path=src/**)'], asks: true };
  expect(verdict(deny, paths('src/a', 'secrets/b'))).toBe('denied by files:write(path=secrets/**)');
  expect(verdict(deny, paths('src/a', 'src/b'))).toBe('free');
  expect(verdict(deny, paths('src/a', undefined))).toBe('denied by files:write(path=secrets/**)');
  expect(verdict(trust, paths('src/a', 'src/deep/b'))).toBe('trusted by files:write(path=src/**)');
  expect(verdict(trust, paths('src/a', 'b'))).toBe('asks');
  expect(verdict(trust, paths('src/a', undefined))).toBe('asks');
  expect(verdict(trust, paths())).toBe('asks');
});

test('on a disk that folds names a deny holds in any case and a trust in its own', () => {
  const folded = { ...paths('SECRETS/Key'), foldsNames: true } as ComparedCall;
  expect(verdict({ deny: ['read_file(path=secrets/**)'] }, folded)).toBe('denied by read_file(path=secrets/**)');
  expect(verdict({ deny: ['read_file(path=secrets/**)'] }, paths('SECRETS/Key'))).toBe('free');
  expect(verdict({ trust: ['read_file(path=secrets/**)'], asks: true }, folded)).toBe('asks');
});
