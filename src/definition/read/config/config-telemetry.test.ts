import { expect, test } from 'vitest';
import { FaultError } from '../../../kernel/fault.ts';
import { type Diagnostic, diagnosticOf } from '../../diagnostic.ts';
import { readConfig } from './config.ts';
import { telemetrySettings } from './config-telemetry.ts';

function read(text: string) {
  const found: Diagnostic[] = [];
  const { config } = readConfig({ file: 'cadre.yaml', text }, '/cadre', (one) => found.push(diagnosticOf(one)));
  return { config, found: found.map(({ line, code, message, help }) => `${line} ${code} ${message} | ${help}`) };
}

test.each([
  ['telemetry: { endpoint: "http://x:1" }', 'unknown key "endpoint" in `telemetry` | It belongs under otlp'],
  ['telemetry: {}', '`telemetry.otlp` is missing'],
  ['telemetry: { otlp: {} }', '`telemetry.otlp.endpoint` is missing'],
  ['telemetry: { otlp: { endpoint: "localhost:4318" } }', 'not an http or https address | Write the base address'],
  ['telemetry: { otlp: { endpoint: "http://x:1", header: {} } }', 'Did you mean "headers"?'],
  ['telemetry: on', '`telemetry` is "on", but takes keys and values'],
])('%s is refused with its line and a way out', (text, says) => {
  const { found } = read(`${text}\n`);
  expect(found.filter((one) => one.startsWith('1 ') && one.includes(says))).toHaveLength(1);
});

test('the file says where telemetry goes, and its variables are filled in on use', () => {
  const { config } = read('telemetry: { otlp: { endpoint: "${OTLP}/", headers: { authorization: "Bearer ${T}" } } }');
  expect(telemetrySettings(config, { OTLP: 'https://collect.example', T: 'abc' })).toEqual({
    traces: 'https://collect.example/v1/traces',
    metrics: 'https://collect.example/v1/metrics',
    headers: { authorization: 'Bearer abc' },
  });
  expect(() => telemetrySettings(config, { OTLP: 'https://collect.example' })).toThrow(/cadre\.yaml:1 uses \$\{T\}/);
  expect(() => telemetrySettings(config, { OTLP: 'nowhere', T: 'abc' })).toThrow(FaultError);
});

test('without a word in the file, the usual variables count', () => {
  const { config } = read('');
  expect(telemetrySettings(config, {})).toBeUndefined();
  expect(
    telemetrySettings(config, {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
      OTEL_EXPORTER_OTLP_HEADERS: 'x-a=1, x-b=two%20words=',
    }),
  ).toEqual({
    traces: 'http://127.0.0.1:4318/v1/traces',
    metrics: 'http://127.0.0.1:4318/v1/metrics',
    headers: { 'x-a': '1', 'x-b': 'two words=' },
  });
});

test('OTEL_SDK_DISABLED turns it off, whatever the file says', () => {
  const { config } = read('telemetry: { otlp: { endpoint: "http://127.0.0.1:4318" } }');
  expect(telemetrySettings(config, { OTEL_SDK_DISABLED: 'true' })).toBeUndefined();
});
