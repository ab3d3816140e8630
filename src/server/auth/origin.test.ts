import { expect, test } from 'vitest';
import { FaultError } from '../../kernel/fault.ts';
import { refuseForeign } from './origin.ts';

const KNOWN = { host: 'cadre.internal', hosts: ['cadre.example', 'proxy.example:8443'], cors: ['https://shop.test'] };
type Asked = Parameters<typeof refuseForeign>[0];

const asked = (of: Partial<Asked>): Asked => ({
  method: 'GET',
  path: '/api/runs',
  host: '127.0.0.1:4000',
  origin: undefined,
  fetchSite: undefined,
  fetchMode: undefined,
  ...of,
});

/** The origin that is let in, `own` for a request of our own, or the code of the refusal. */
function answerTo(of: Partial<Asked>): string {
  try {
    return refuseForeign(asked(of), KNOWN) ?? 'own';
  } catch (thrown) {
    return thrown instanceof FaultError ? thrown.fault.code : String(thrown);
  }
}

test('a server answers under its own name, those of server.hosts and any address of numbers, with or without a port', () => {
  const known = [
    'cadre.internal',
    'cadre.internal:4000',
    'CADRE.example',
    'cadre.example:1',
    'proxy.example:8443',
    'localhost',
    'LocalHost:3000',
    '10.0.0.7:80',
    '[::1]:4000',
  ];
  for (const host of known) expect([host, answerTo({ host })]).toEqual([host, 'own']);
  const others = [undefined, '', 'evil.example', 'proxy.example', 'proxy.example:1', 'localhost.evil.example', '[::1'];
  for (const host of others) expect([host, answerTo({ host })]).toEqual([host, 'request/forbidden']);
});

test('a page of our own may ask, whatever the scheme of the proxy before it', () => {
  const own = [
    { host: '127.0.0.1:4000', origin: 'http://127.0.0.1:4000' },
    { host: 'cadre.example', origin: 'https://cadre.example' },
    { host: 'cadre.example:443', origin: 'https://cadre.example' },
    { host: 'Cadre.Example:80', origin: 'http://cadre.example' },
  ];
  for (const one of own) expect([one, answerTo(one)]).toEqual([one, 'own']);
  const foreign = [
    'http://127.0.0.1:4001',
    'null',
    '',
    'ws://127.0.0.1:4000',
    'https://evil.example',
    '127.0.0.1:4000',
  ];
  for (const origin of foreign) expect([origin, answerTo({ origin })]).toEqual([origin, 'request/forbidden']);
});

test('an origin of server.cors may use the API and the heads, and nothing else', () => {
  const origin = 'https://shop.test';
  for (const path of ['/api/runs', '/api', '/v1/models', '/mcp', '/a2a/x', '/.well-known/agent.json', '/openapi.json'])
    expect([path, answerTo({ origin, path, method: 'POST' })]).toEqual([path, origin]);
  for (const path of ['/', '/runs', '/apix', '/openapi.json/x'])
    expect([path, answerTo({ origin, path })]).toEqual([path, 'request/forbidden']);
  expect(answerTo({ origin: 'https://shop.test.evil.example' })).toBe('request/forbidden');
});

test('a link on another site opens the page, and reaches nothing behind it', () => {
  const link = { fetchSite: 'cross-site', fetchMode: 'navigate' };
  for (const path of ['/', '/runs/x', '/apiary']) expect([path, answerTo({ ...link, path })]).toEqual([path, 'own']);
  for (const path of ['/api', '/api/runs', '/v1/models', '/mcp', '/a2a/x'])
    expect([path, answerTo({ ...link, path })]).toEqual([path, 'request/forbidden']);
  expect(answerTo({ ...link, path: '/', method: 'POST' })).toBe('request/forbidden');
  expect(answerTo({ ...link, path: '/', fetchMode: 'no-cors' })).toBe('request/forbidden');
  expect(answerTo({ path: '/', fetchSite: 'same-site' })).toBe('request/forbidden');
  for (const fetchSite of ['none', 'same-origin', undefined])
    expect([fetchSite, answerTo({ fetchSite, fetchMode: 'cors' })]).toEqual([fetchSite, 'own']);
});
