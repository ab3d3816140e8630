import { expect, test } from 'vitest';
import { cadre } from '../../../test/support/cadre.ts';
import { approvedBeforehand } from './approved-beforehand.ts';

const shop = cadre(
  { name: 'clerk', tools: ['files', 'rest:pay'], approve: ['read_file', 'rest:pay'] },
  { name: 'packer' },
);
const post = cadre({ name: 'clerk', tools: ['mcp:mail'], approve: ['mcp:mail/send'] });

test('a tool that waits for a yes is named alone or with its source', () => {
  expect(approvedBeforehand(undefined, shop)).toEqual([]);
  expect(approvedBeforehand(['read_file', 'pay', 'rest:pay'], shop)).toEqual(['read_file', 'pay', 'rest:pay']);
  expect(approvedBeforehand([true, 'pay'], shop)).toBe(true);
  expect(approvedBeforehand(['send', 'mcp:mail/send', 'mail_send'], post)).toEqual([
    'send',
    'mcp:mail/send',
    'mail_send',
  ]);
});

test.each([
  [shop, 'read_fil', /Did you mean "read_file"\?/],
  [shop, 'clerk', /These tools wait for a yes: read_file, pay\. --approve alone says yes to all/],
  [shop, 'list_files', /no agent in \/nowhere waits for a yes/],
  [post, 'Where is my parcel?', /--approve took "Where is my parcel\?" for the name of a tool/],
  [post, 'clerk.md', /--approve took "clerk\.md"/],
  [cadre({ name: 'plain' }), 'pay', /no agent in \/nowhere waits for a yes to a tool of that name\. --approve alone/],
])('a word that names none of them is refused', (of, word, told) => {
  expect(() => approvedBeforehand([word], of)).toThrow(told);
});
