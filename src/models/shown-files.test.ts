import { expect, test } from 'vitest';
import { pictureRef } from '../../test/support/media.ts';
import type { Message } from '../kernel/message.ts';
import { sightOf } from '../kernel/model-sight.ts';
import { blindModels, digestsIn, seenMessages, tokensOfFiles } from './shown-files.ts';

const shot = pictureRef();
const plan = pictureRef('plan.pdf', { type: 'application/pdf', pages: 2, digest: 'b'.repeat(64) });
const asked: Message = { role: 'user', text: 'Look.', files: [shot, plan] };
const shown: Message = {
  role: 'tool',
  call: 'c',
  name: 'read_file',
  result: { status: 'ok', text: 'a.png', shown: { files: [shot], handle: '0.2', tokens: 9 } },
};

test('a model that sees less than another of the list is passed over', () => {
  const sees = { blind: undefined, pictures: ['image'], both: ['image', 'pdf'] } as const;
  const over = (messages: readonly Message[], ...models: (keyof typeof sees)[]) =>
    blindModels({ messages, models }, (name) => {
      const own = sees[name as keyof typeof sees];
      return own && { sees: own, rule: 'unknown' };
    });
  expect(over([asked], 'blind', 'pictures', 'both')).toEqual(['blind', 'pictures']);
  expect(over([shown], 'blind', 'pictures', 'both')).toEqual(['blind']);
  expect(over([asked], 'blind')).toEqual([]);
  expect(over([{ role: 'user', text: 'Nothing to see.' }], 'blind', 'both')).toEqual([]);
});

test('a model gets the files that it sees, and of others the lines in the text', () => {
  const messages = [asked, shown];
  expect(seenMessages(messages, { sees: ['image', 'pdf'], rule: 'unknown' })).toBe(messages);
  expect(seenMessages(messages, { sees: ['image'], rule: 'unknown' })).toEqual([{ ...asked, files: [shot] }, shown]);
  expect(seenMessages(messages, undefined)).toEqual([
    { role: 'user', text: 'Look.' },
    { ...shown, result: { status: 'ok', text: 'a.png' } },
  ]);
});

test('the bytes of a file are asked for once, and its tokens count each time that it stands there', () => {
  expect(digestsIn({ messages: [asked, shown] })).toEqual([shot.digest, plan.digest]);
  expect(tokensOfFiles([asked, shown], { sight: { sees: [], rule: 'anthropic' } })).toBe(2 * 1229 + 2 * 4600);
});

test.each([
  ['anthropic', 'claude-sonnet-4-5', ['image', 'pdf']],
  ['anthropic', 'claude-3-haiku-20240307', ['image']],
  ['openai', 'gpt-5-mini', ['image', 'pdf']],
  ['openai', 'gpt-3.5-turbo', undefined],
  ['openai', 'o3-mini', undefined],
  ['google', 'gemini-2.5-flash', ['image', 'pdf']],
  ['openrouter', 'anthropic/claude-sonnet-4', ['image']],
  ['bedrock', 'us.anthropic.claude-sonnet-4-20250514-v1:0', ['image', 'pdf']],
  ['azure', 'gpt-4o', ['image']],
  ['openai-compatible', 'gpt-4o', undefined],
  ['ollama', 'llava', undefined],
  ['openai', 'gpt-6-astra', ['image', 'pdf']],
  ['scripted', 'any', ['image', 'pdf']],
] as const)('the table says of %s/%s: %j', (kind, model, sees) => {
  expect(sightOf(kind, model, undefined)?.sees).toEqual(sees);
});

test.each([
  ['anthropic', 'claude-sonnet-4-20250514', 'anthropic'],
  ['anthropic', 'claude-opus-4-6', 'anthropic'],
  ['anthropic', 'claude-haiku-4-5-20251001', 'anthropic'],
  ['anthropic', 'claude-opus-4-7', 'anthropic-large'],
  ['anthropic', 'claude-sonnet-5-5', 'anthropic-large'],
  ['bedrock', 'us.anthropic.claude-opus-5-20260901-v1:0', 'anthropic-large'],
  ['openai', 'gpt-5', 'tiles-70-140'],
  ['openai', 'gpt-5-2025-08-07', 'tiles-70-140'],
  ['openai', 'gpt-5.1', 'tiles-70-140'],
  ['openai', 'gpt-5.2', 'unknown'],
  ['openai', 'gpt-5.5', 'patches-1.2-10000'],
  ['openai', 'gpt-6-astra', 'patches-1.2-12000'],
  ['openai', 'gpt-5-mini', 'patches-1.62'],
] as const)('the pictures of %s/%s are counted by the rule %s', (kind, model, rule) => {
  expect(sightOf(kind, model, undefined)?.rule).toBe(rule);
});

test('cadre.yaml says more than the table, and less', () => {
  expect(sightOf('ollama', 'llava', ['image'])).toEqual({ sees: ['image'], rule: 'unknown' });
  expect(sightOf('openai', 'gpt-4o', [])).toEqual({ sees: [], rule: 'tiles-85-170' });
});
