import { expect, test } from 'vitest';
import { bareAddress } from './credentials.ts';

const basic = (pair: string): string => `Basic ${Buffer.from(pair).toString('base64')}`;

test.each([
  ['http://h:1/v1', 'http://h:1/v1', undefined],
  ['http://ann:pa%40ss@h:1/v1?a=b@c', 'http://h:1/v1?a=b@c', basic('ann:pa@ss')],
  ['https://token@h/', 'https://h/', basic('token:')],
  ['https://:secret@h/v1', 'https://h/v1', basic(':secret')],
  ['https://a:b@c@h/v1', 'https://h/v1', basic('a:b@c')],
  ['https://a:%zz@h', 'https://h', basic('a:%zz')],
  ['not an address', 'not an address', undefined],
])('%s is sent to %s', (address, url, authorization) => {
  expect(bareAddress(address)).toEqual({ url, ...(authorization !== undefined && { authorization }) });
});
