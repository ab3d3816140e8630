import { expect, test } from 'vitest';
import { type Message, okResult, user } from '../../kernel/message.ts';
import { sampleRequest, TOOLS } from '../../models/provider.conformance.ts';
import { mostInput, noteInput } from './input-size.ts';

const bytes = (text: string): number => Buffer.byteLength(text);
const conversation = (): Message[] => [user('x'.repeat(1000))];
const said: Message = { role: 'assistant', text: 'y'.repeat(200), calls: [] };

test('a request has no more tokens than bytes, whatever its text', () => {
  const messages = [user('\u{1F600}'.repeat(100))];
  const request = sampleRequest({ messages });
  const least = bytes(request.system) + bytes(JSON.stringify(TOOLS)) + 400;
  expect(mostInput('p/m', request)).toBeGreaterThanOrEqual(least);
  expect(mostInput('p/m', request)).toBeLessThan(least + 100);
});

test('the count of the same model before is known, and only messages after it are bounded by their bytes', () => {
  const messages = conversation();
  const request = sampleRequest({ messages });
  noteInput('p/m', request, 300);
  expect(mostInput('p/m', request)).toBe(300);
  messages.push(said);
  expect(mostInput('p/m', request)).toBe(300 + bytes(JSON.stringify(said)));
});

test('a message that stands where another stood is bounded by its bytes', () => {
  const long: Message = { role: 'tool', call: 'c', name: 'read_file', result: okResult('z'.repeat(5000)) };
  const messages: Message[] = [...conversation(), long];
  noteInput('p/m', sampleRequest({ messages }), 1000);
  const folded: Message = { ...long, result: okResult('moved') };
  messages[1] = folded;
  expect(mostInput('p/m', sampleRequest({ messages }))).toBe(1000 + bytes(JSON.stringify(folded)));
});

test('fewer tools, as on a last turn, leave it known; other tools, another prompt or another model do not', () => {
  const messages = conversation();
  const request = sampleRequest({ messages });
  noteInput('p/m', request, 300);
  expect(mostInput('p/m', { ...request, tools: TOOLS.slice(1) })).toBe(300);
  expect(mostInput('p/m', { ...request, choice: 'required' })).toBe(300 + 512);
  expect(mostInput('p/m', { ...request, tools: TOOLS.map((tool) => ({ ...tool })) })).toBeGreaterThan(1000);
  expect(mostInput('p/m', { ...request, system: 'Another one.' })).toBeGreaterThan(1000);
  expect(mostInput('q/m', request)).toBeGreaterThan(1000);
});
