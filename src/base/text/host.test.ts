import { expect, test } from 'vitest';
import { hostProblem, isOfHost } from './host.ts';

const is = (written: string, url: string): boolean => isOfHost(new URL(url), written);

test('a host is the whole name of an address, in whatever capitals, at any port', () => {
  expect(is('docs.example.com', 'https://docs.example.com/a?b')).toBe(true);
  expect(is('Docs.Example.com', 'https://DOCS.example.com')).toBe(true);
  expect(is('docs.example.com', 'http://docs.example.com:8080/')).toBe(true);
  expect(is('[::1]', 'http://[::1]:80/')).toBe(true);
  expect(is('127.0.0.1', 'http://0x7f000001/')).toBe(true);
});

test('a port that is written is meant', () => {
  expect(is('127.0.0.1:8080', 'http://127.0.0.1:8080/')).toBe(true);
  expect(is('127.0.0.1:8080', 'http://127.0.0.1:8081/')).toBe(false);
  expect(is('docs.example.com:443', 'https://docs.example.com/')).toBe(true);
  expect(is('docs.example.com:80', 'https://docs.example.com/')).toBe(false);
});

test.each([
  'https://docs.example.com.evil.net/',
  'https://evil.net/docs.example.com',
  'https://docs.example.com@evil.net/',
  'https://sub.docs.example.com/',
  'https://example.com/',
  'https://docs.example.com./',
])('%s is another host', (url) => {
  expect(is('docs.example.com', url)).toBe(false);
});

test.each(['', '*.example.com', 'https://example.com', 'example.com/docs', 'a b', 'user@example.com', ':80', 'x?y'])(
  '"%s" is no host',
  (written) => {
    expect(hostProblem(written)).toBeDefined();
    expect(is(written, 'https://example.com/')).toBe(false);
  },
);
