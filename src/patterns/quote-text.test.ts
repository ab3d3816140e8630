import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SpawnReport } from '../kernel/spawned.ts';
import { agentResult } from './agents/agent-tool.ts';
import { footer } from './chat/clarification.ts';
import { jsonLine, quoteText } from './quote-text.ts';
import {
  analysisGathered,
  answerFrom,
  clarificationRequest,
  composeRequest,
  itemResult,
  numberedItem,
  routedBy,
} from './sections.ts';
import { announcement, fromParent, previousSteps, readBack } from './spawn/pass-on.ts';
import { sharedContextText } from './spawn/shared-context.ts';
import { preamble } from './team/charter.ts';
import { orchestrate } from './team/orchestrator.ts';

const answered = { kind: 'answered', agent: 'kid', text: 'x' } as const;
const ended = (label: string): SpawnReport => ({
  run: `r~${label}`,
  label,
  agent: 'kid',
  state: 'answered',
  parent: '0',
  session: '0.1',
  after: [],
  spawnedAt: 0,
  outcome: answered,
});
const saying = { type: 'update', memberId: 'ann', message: 'x', turnCount: 1, number: 1, timestamp: 0 } as const;
const card = (name: string) =>
  ({ name, description: 'x', input: { format: 'any' }, output: { format: 'text' }, chat: false }) as const;

/** One text of each kind that patterns put together, with nothing in it but `x` where others wrote. */
const WRITTEN: readonly string[] = [
  composeRequest('x', [routedBy('desk', 'x'), answerFrom('first', 'x')]).text,
  analysisGathered([{ advisor: 'sage', text: 'x' }]),
  clarificationRequest('boss/kid', 'x'),
  ...['x', ''].map((charter) =>
    preamble(
      charter,
      { members: ['ann'], supervisor: 'lead' },
      { team: 'lead', channel: '0', role: 'member', memberId: 'ann' },
      card,
    ),
  ),
  ...orchestrate('0', ['ann']).injectMessages([saying]),
  previousSteps([ended('one')], 'x', readBack).text,
  previousSteps([ended('one'), ended('two')], 'x', readBack).text,
  announcement('one', 'r~one', answered),
  fromParent('boss', 'x'),
  sharedContextText({ goal: 'x' }),
  agentResult(answered).text,
  numberedItem(2, 12, 'x'),
  itemResult(2, 12, { item: 'x', body: 'x' }),
  footer({ id: 'kid@0.1', agent: 'kid', session: '0.1', turnsLeft: 3 }),
];

/** The lines that are told as a heading, or as the beginning of a part. */
const headings = (text: string): readonly string[] =>
  text.split('\n').filter((line) => /^(#|\[|outcome: |\*\*)/.test(line) && !line.startsWith('[…'));

test.each(WRITTEN.flatMap(headings))('a heading that patterns write is reserved: %s', (heading) => {
  expect(quoteText(`before\n${heading}\nafter`)).toBe(`before\n\\${heading}\nafter`);
});

test.each([
  '## Analysis gathered',
  '### From the archive',
  '## ORIGINAL USER REQUESTS',
  'outcome: a good one',
  'See ## ANALYSIS GATHERED above.',
  '[Shared Context] is what it is called.',
  '\\## ORIGINAL USER REQUEST',
])('other lines stay as they are: %s', (line) => {
  expect(quoteText(`before\n${line}\nafter`)).toBe(`before\n${line}\nafter`);
});

test('quoting what was quoted changes nothing', () => {
  const line = fc.oneof(fc.constantFrom(...WRITTEN.flatMap(headings)), fc.string());
  fc.assert(
    fc.property(fc.array(line), fc.constantFrom('\n', '\r\n', '\u2028'), (lines, end) => {
      const once = quoteText(lines.join(end));
      expect(quoteText(once)).toBe(once);
    }),
  );
});

test('JSON on one line is the same value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom('\u0085', '\u2028', '\u2029'), (value, end) => {
      const line = jsonLine({ value, [`a${end}b`]: `one${end}two` });
      expect(line).not.toMatch(/[\n\r\v\f\u0085\u2028\u2029]/);
      expect(JSON.stringify(JSON.parse(line))).toBe(JSON.stringify({ value, [`a${end}b`]: `one${end}two` }));
    }),
  );
});
