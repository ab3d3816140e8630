// `telemetry` of cadre.yaml, and where spans and metrics go: what the file says, then what the usual
// variables of OpenTelemetry say. OpenTelemetry is not loaded to find out that it is off.

import { fail } from '../../../kernel/fault.ts';
import type { CadreConfig, TelemetryConfig, TemplatedText } from '../../definition.ts';
import { reportAt, type Shape } from '../shape.ts';
import { key, object, refineShape } from '../shape-object.ts';
import { type Environment, resolveTemplate, templatedText, variablesIn } from '../variables.ts';
import { headersShape } from './config-providers.ts';

const endpoint: Shape<TemplatedText> = refineShape(templatedText, (value, node, path, reading) => {
  if (variablesIn(value).length > 0 || isAddress(value.template)) return value;
  return reportAt(node, reading, {
    code: 'config/telemetry',
    message: `\`${path}\` is "${value.template}", which is not an http or https address`,
    help: 'Write the base address of a collector that takes OTLP over HTTP, as in http://127.0.0.1:4318.',
  });
});

export const telemetryShape: Shape<TelemetryConfig> = refineShape(
  object(
    {
      otlp: key(
        object({
          endpoint: key(endpoint, 'The base address of a collector, without /v1/traces.', { required: true }),
          headers: key(headersShape, 'Sent with every request.'),
        }),
        'A collector that takes OTLP over HTTP.',
        { required: true },
      ),
    },
    {
      hints: {
        endpoint: 'It belongs under otlp: telemetry: {otlp: {endpoint: …}}.',
        headers: 'They belong under otlp: telemetry: {otlp: {headers: …}}.',
        enabled: 'Without `telemetry`, it is off. OTEL_SDK_DISABLED=true turns it off for a while.',
      },
    },
  ),
  ({ otlp }) =>
    otlp?.endpoint === undefined ? {} : { otlp: { endpoint: otlp.endpoint, headers: otlp.headers ?? {} } },
);

export interface TelemetrySettings {
  readonly traces: string;
  readonly metrics: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Fills in no variables. */
export const isTelemetryOn = ({ telemetry }: CadreConfig, environment: Environment): boolean =>
  environment['OTEL_SDK_DISABLED']?.toLowerCase() !== 'true' &&
  (telemetry?.otlp !== undefined || (environment[ENDPOINT] ?? '') !== '');

/** Undefined where telemetry is off. Throws `config/unset-variable`, and `config/invalid` for a wrong address. */
export function telemetrySettings(config: CadreConfig, environment: Environment): TelemetrySettings | undefined {
  if (!isTelemetryOn(config, environment)) return undefined;
  const { otlp } = config.telemetry ?? {};
  if (otlp !== undefined) {
    const headers = Object.entries(otlp.headers).map(
      ([name, value]) => [name, resolveTemplate(value, environment)] as const,
    );
    const { file, line } = otlp.endpoint;
    const base = resolveTemplate(otlp.endpoint, environment);
    return settingsAt(base, `${file}:${line} telemetry.otlp.endpoint`, Object.fromEntries(headers));
  }
  return settingsAt(environment[ENDPOINT] ?? '', ENDPOINT, collectorHeaders(environment));
}

const ENDPOINT = 'OTEL_EXPORTER_OTLP_ENDPOINT';

function settingsAt(base: string, where: string, headers: Readonly<Record<string, string>>): TelemetrySettings {
  if (!isAddress(base)) {
    fail(
      'config/invalid',
      `${where} is "${base}", which is not an http or https address. Write it as in http://127.0.0.1:4318.`,
    );
  }
  const root = base.replace(/\/+$/, '');
  return { traces: `${root}/v1/traces`, metrics: `${root}/v1/metrics`, headers };
}

const isAddress = (text: string): boolean => /^https?:\/\//i.test(text) && URL.canParse(text);

/** OTEL_EXPORTER_OTLP_HEADERS: `name=value` pairs with commas between them, the values as in an address. */
export function collectorHeaders(environment: Environment): Readonly<Record<string, string>> {
  const text = environment['OTEL_EXPORTER_OTLP_HEADERS'] ?? '';
  const pairs = text.split(',').map((pair) => pair.split(/=(.*)/s, 2).map((part) => part.trim()));
  return Object.fromEntries(
    pairs.flatMap(([name = '', value = '']) => (name === '' ? [] : [[name, unescaped(value)]])),
  );
}

function unescaped(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value; // not escaped at all
  }
}
