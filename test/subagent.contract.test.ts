import fc from 'fast-check';
import { expect, test } from 'vitest';
import { byteLength, cutToBytes } from '../src/base/text/bytes.ts';
import { ARTIFACT_KINDS, type Artifact, type SubagentLimits } from '../src/kernel/subagent.ts';
import { capReport } from '../src/patterns/subagent/cap.ts';
import { brokenBy, outputOf } from '../src/patterns/subagent/output.ts';
import { encodeEnvelope, parseChild, parseParent } from '../src/run/helper/contract.ts';

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
      expect(capReport(once.report, max).report).toEqual(once.report);
    }),
  );
});

const limits: SubagentLimits = {
  maxDepth: 1,
  maxIterations: 8,
  timeoutSeconds: 120,
  maxInputBytes: 1000,
  maxOutputBytes: 1000,
  artifactKinds: ARTIFACT_KINDS,
  runner: 'in-process',
};
const took = 7;

test('an error is the text "<code>: <message>" with its code beside it, and both are null after a success', () => {
  const failed = outputOf(brokenBy('timeout', 'Too late.', 'half'), limits, took);
  expect(JSON.stringify(failed)).toBe(
    '{"success":false,"summary":"half","artifacts":[],"error":"timeout: Too late.","error_code":"timeout",' +
      '"timed_out":true,"duration_ms":7,"truncated":[]}',
  );
  const report = { summary: 'whole', artifacts: [] };
  expect(outputOf({ kind: 'reported', report }, limits, took)).toMatchObject({ error: null, error_code: null });
});

test('a long error is cut, and the sizes are those of the whole text', () => {
  const ending = brokenBy('failed', 'x'.repeat(9000));
  const output = outputOf(ending, limits, took);
  expect(output.error).toBe(`failed: ${'x'.repeat(8192)}`);
  expect(output.truncated).toEqual([{ field: 'error', original_bytes: 9008, kept_bytes: 8200 }]);
});

const event = (fields: object): string => JSON.stringify({ v: 4, type: 'event', id: 1, event: fields });
const message = { role: 'assistant', text: 'x', calls: [] };
const end = { type: 'reply-end', message, finish: 'stop' };

test.each([
  ['nothing', '', '$'],
  ['a number', '7', '$'],
  ['a list', '[]', '$'],
  ['no version', '{"type":"event"}', '$.v'],
  ['a later version', '{"v":5,"type":"event","id":1,"event":{}}', '$.v'],
  ['an unknown type', '{"v":4,"type":"boast"}', '$.type'],
  ['an event of a journal', '{"v":4,"type":"op-end","path":"0.1","seq":1}', '$.type'],
  ['no number', '{"v":4,"type":"event","event":{}}', '$.id'],
  ['no event', '{"v":4,"type":"event","id":1}', '$.event'],
  ['an event of no model', event({ type: 'control' }), '$.event.type'],
  ['an event named as a property of every object', event({ type: 'constructor' }), '$.event.type'],
  ['a text that is none', event({ type: 'text-delta', text: 1 }), '$.event.text'],
  ['a reply without a message', event({ ...end, message: null }), '$.event.message'],
  ['an unknown finish', event({ ...end, finish: 'bored' }), '$.event.finish'],
  ['a negative cost', event({ ...end, usd: -1 }), '$.event.usd'],
  ['usage that is none', event({ ...end, usage: { input: 'x', output: 1 } }), '$.event.usage'],
  ['a message of a tool', event({ ...end, message: { ...message, role: 'tool' } }), '$.event.message.role'],
  [
    'a call without a name',
    event({ ...end, message: { ...message, calls: [{ id: 'a' }] } }),
    '$.event.message.calls[0].name',
  ],
  [
    'a fault of the journal',
    event({ type: 'reply-fault', fault: { code: 'journal/write', message: '' } }),
    '$.event.fault.code',
  ],
  [
    'a budget that is spent',
    event({ type: 'reply-fault', fault: { code: 'budget/exceeded', message: '' } }),
    '$.event.fault.code',
  ],
])('an envelope from a child is refused: %s', (_, line, path) => {
  const parsed = parseChild(line);
  expect('violations' in parsed && parsed.violations[0]?.path).toBe(path);
});

test('only the fields of the contract are taken of an envelope', () => {
  const extra = { extra: 'x' };
  const call = { id: 'c', name: 'look', arguments: { extra: 1 } };
  const usage = { input: 1, output: 2 };
  const line = event({
    ...end,
    ...extra,
    usage: { ...usage, ...extra },
    message: { ...message, ...extra, calls: [{ ...call, ...extra }] },
  });
  expect(parseChild(line)).toEqual({
    envelope: { type: 'event', id: 1, event: { ...end, usage, message: { ...message, calls: [call] } } },
  });
});

test('a line of the parent is read as it was written, and what is none is refused', () => {
  const stop = { type: 'stop', id: 7 } as const;
  expect(parseParent(encodeEnvelope(stop))).toEqual({ envelope: { v: 4, ...stop } });
  expect(parseParent('{"v":4,"type":"call","id":1,"model":"a/b"}')).toMatchObject({
    violations: [{ path: '$.request' }],
  });
  expect(parseParent('{"v":4,"type":"constructor"}')).toMatchObject({ violations: [{ path: '$.type' }] });
});

test('parsing a line never throws, whatever it holds', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (line) => {
      parseChild(line);
      parseParent(line);
      parseChild(event({ type: 'reply-end', finish: 'stop', message: line }));
    }),
  );
});
