import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fits, price } from '../src/dues.js';

const ketch = { draught: 2.2, length: 14 };

test('a ketch fits into a berth that is deep and long enough', () => {
  assert.equal(fits(ketch, { depth: 3, length: 15 }), true);
  assert.equal(fits(ketch, { depth: 3, length: 12 }), false);
});

test('half a metre of water stays under the keel', () => {
  assert.equal(fits(ketch, { depth: 2.5, length: 15 }), false);
});

test('two nights cost twice as much as one', () => {
  assert.equal(price(ketch, 48, 100), 2800);
});

test('a night that has begun is paid for', () => {
  assert.equal(price(ketch, 30, 100), 2800);
});
