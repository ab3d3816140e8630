import { HonoRequest } from 'hono/request';
import { expect, test } from 'vitest';
import { crossOriginHeaders } from './cross-origin.ts';

const headersFor = (method: string, asked: Readonly<Record<string, string>> = {}) =>
  crossOriginHeaders(
    'https://shop.test',
    new HonoRequest(new Request('http://127.0.0.1/api/runs', { method, headers: asked })),
  );

test('the question of a browser before a request hears that its method and headers are allowed, and for how long', () => {
  const asked = { 'access-control-request-method': 'DELETE', 'access-control-request-headers': 'authorization' };
  expect(headersFor('OPTIONS', asked)).toMatchObject({
    'access-control-allow-origin': 'https://shop.test',
    'access-control-allow-methods': 'DELETE',
    'access-control-allow-headers': 'authorization',
    'access-control-max-age': '600',
  });
  expect(Object.keys(headersFor('OPTIONS')).filter((name) => /methods|allow-headers/.test(name))).toEqual([]);
});

test('the answer to a request itself says whose pages may read it, and never allows cookies', () => {
  const asked = { 'access-control-request-method': 'DELETE' };
  expect(headersFor('GET', asked)).toEqual({
    'access-control-allow-origin': 'https://shop.test',
    'access-control-expose-headers': 'location, retry-after, www-authenticate, mcp-session-id',
    'cross-origin-resource-policy': 'cross-origin',
    vary: 'Origin',
  });
});
