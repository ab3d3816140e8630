import fc from 'fast-check';
import { expect, test } from 'vitest';
import { byteLength, cutToBytes } from '../src/patterns/subagent/bytes.ts';
import { type Artifact, capReport } from '../src/patterns/subagent/cap.ts';
import { encodeVerdict, parseChild, parseStart, parseVerdict } from '../src/tools/subagent/contract.ts';
import { ARTIFACT_KINDS } from '../src/kernel/subagent.ts';

const text = fc.string({ unit: 'binary', maxLength: 200 });
const artifact: fc.Arbitrary<Artifact> = fc.record({ kind: fc.constantFrom(...ARTIFACT_KINDS), value: text });
const report = fc.record({ summary: text, artifacts: fc.array(artifact, { maxLength: 6 }) });

test('bytes are counted as UTF-8 has them, and a cut is the longest whole beginning that fits', () => {
  fc.assert(
    fc.property(text, fc.nat(800), (whole, max) => {
      expect(byteLength(whole)).toBe(Buffer.byteLength(whole));
      const cut = cutToBytes(whole, max);
      expect(whole.startsWith(cut)).toBe(true);
      expect(byteLength(cut)).toBeLessThanOrEqual(max);
      const next = String.fromCodePoint(whole.slice(cut.length).codePointAt(0) ?? 0);
      if (cut !== whole) expect(byteLength(cut + next)).toBeGreaterThan(max);
    }),
  );
});

test('a capped report fits, tells every cut with its sizes, and capping it again changes nothing', () => {
  fc.assert(
    fc.property(report, fc.integer({ min: 16, max: 1200 }), (whole, max) => {
      const once = capReport(whole, max);
      const texts = [once.report.summary, ...once.report.artifacts.map(({ value }) => value)];
      expect(texts.reduce((sum, one) => sum + byteLength(one), 0)).toBeLessThanOrEqual(max);
      expect(once.report.artifacts.map(({ kind }) => kind)).toEqual(whole.artifacts.map(({ kind }) => kind));
      const cuts = new Map(once.truncated.map((cut) => [cut.field, cut]));
      whole.artifacts.forEach(({ value, kind }, index) => {
        const kept = once.report.artifacts[index]?.value ?? '';
        expect(cuts.has(`artifacts[${index}].value`)).toBe(kept !== value);
        if (kept !== value && (kind === 'path' || kind === 'json')) expect(kept).toBe('');
      });
      expect(cuts.has('summary')).toBe(once.report.summary !== whole.summary);
      expect(capReport(once.report, max, once.truncated)).toEqual(once);
    }),
  );
});

test.each([
  ['nothing', '', '$'],
  ['a number', '7', '$'],
  ['a list', '[]', '$'],
  ['no version', '{"type":"result"}', '$.v'],
  ['a later version', '{"v":2,"type":"result","output":{}}', '$.v'],
  ['an unknown type', '{"v":1,"type":"boast"}', '$.type'],
  ['no output', '{"v":1,"type":"result"}', '$.output'],
  ['a question about nothing', '{"v":1,"type":"approve","id":1}', '$.call'],
  ['a question without a name', '{"v":1,"type":"approve","id":1,"call":{"id":"a"}}', '$.call.name'],
  ['a question without a number', '{"v":1,"type":"approve","call":{"id":"a","name":"b"}}', '$.id'],
  [
    'a negative cost',
    '{"v":1,"type":"called","text":"","call":{"turn":1,"model":"m","status":"ok","usd":-1,"started_at":1}}',
    '$.call.usd',
  ],
  [
    'usage that is none',
    '{"v":1,"type":"called","text":"","call":{"turn":1,"model":"m","status":"ok","usage":{"input":"x"},"started_at":1}}',
    '$.call.usage',
  ],
])('an envelope from a child is refused: %s', (_, line, path) => {
  const parsed = parseChild(line);
  expect('violations' in parsed && parsed.violations[0]?.path).toBe(path);
});

test('a verdict is read as it was written, and what is none is refused', () => {
  for (const verdict of [{ approved: true }, { approved: false, note: 'a\nb' }]) {
    expect(parseVerdict(encodeVerdict(7, verdict))).toEqual({ envelope: { v: 1, type: 'verdict', id: 7, ...verdict } });
  }
  expect(parseVerdict('{"v":1,"type":"verdict","id":1,"approved":"yes"}')).toMatchObject({
    violations: [{ path: '$.approved' }],
  });
});

test('whatever a line holds, parsing it never throws', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (line) => {
      parseChild(line);
      parseStart(line);
      parseVerdict(line);
    }),
  );
});
