// The one file that knows what OpenTelemetry offers: hands spans and measurements to its exporters, which speak OTLP over
// HTTP. It imports types alone: packages.ts loads the code. Nothing global is registered, so that a host program's own telemetry is left alone.

import { randomUUID } from 'node:crypto';
import type { HrTime, SpanContext } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import type { MeterProvider } from '@opentelemetry/sdk-metrics';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import type { TelemetrySettings } from '../definition/read/config/config-telemetry.ts';
import type { LedgerLine } from '../views/costs/calls.ts';
import { callAttributes, METRICS, type ProviderNames } from './gen-ai.ts';
import type { OpenTelemetry } from './packages.ts';
import type { SpanListener, SpanRecord } from './span-fold.ts';

const SCOPE = { name: 'cadre' };
const EXPORT_MS = 3000;
/** Spans are sent often, because those that wait are lost with the process. */
const SPANS_EVERY_MS = 1000;
const MOST_WAITING = 65_536;

export function openCollector(
  { api, metricExporter, traceExporter, resources, metrics: sdkMetrics, trace }: OpenTelemetry,
  settings: TelemetrySettings,
  nameOf: ProviderNames,
  warn: (text: string) => void,
): SpanListener & { flush(): Promise<void>; close(): Promise<void> } {
  const resource = resources
    .resourceFromAttributes({ 'service.name': 'cadre', 'service.instance.id': randomUUID() })
    .merge(resources.detectResources({ detectors: [resources.envDetector] }));
  const { headers, traces, metrics } = settings;
  const access = { headers: { ...headers }, ...timeout() };
  const spans = new trace.BatchSpanProcessor({
    exporter: warning(new traceExporter.OTLPTraceExporter({ ...access, url: traces }), 'spans', traces, warn),
    scheduledDelayMillis: SPANS_EVERY_MS,
    maxQueueSize: MOST_WAITING,
  });
  const reader = new sdkMetrics.PeriodicExportingMetricReader({
    exporter: warning(new metricExporter.OTLPMetricExporter({ ...access, url: metrics }), 'metrics', metrics, warn),
  });
  const meters = new sdkMetrics.MeterProvider({ resource, readers: [reader] });
  const measure = meterOf(meters, nameOf);
  return {
    span: (span) => spans.onEnd(readable(span, resource, api)),
    call: measure,
    async flush() {
      await Promise.allSettled([spans.forceFlush(), meters.forceFlush()]);
    },
    async close() {
      await Promise.allSettled([spans.shutdown(), meters.shutdown()]);
    },
  };
}

/** The exporter itself reads a variable of the usual name. */
const timeout = (): { readonly timeoutMillis?: number } =>
  process.env['OTEL_EXPORTER_OTLP_TIMEOUT'] === undefined ? { timeoutMillis: EXPORT_MS } : {};

interface Exports<Items> {
  export(items: Items, done: (result: { readonly code: number; readonly error?: Error }) => void): void;
}

/** Warns once that something cannot be sent, and keeps the failure from everything else. */
function warning<Items, Exporter extends Exports<Items>>(
  exporter: Exporter & Exports<Items>,
  what: string,
  url: string,
  warn: (text: string) => void,
): Exporter {
  const send = exporter.export.bind(exporter);
  let isTold = false;
  exporter.export = (items, done) =>
    send(items, (result) => {
      if (result.code !== 0 && !isTold) {
        isTold = true;
        warn(`telemetry: ${what} could not be sent to ${url}: ${reasonOf(result.error)}. Runs are not affected.`);
      }
      done({ code: 0 });
    });
  return exporter;
}

function reasonOf(error: Error | undefined): string {
  const said = error?.message.trim() ?? '';
  if (said !== '') return said.replace(/\.$/, '');
  const { errors = [], code } = (error ?? {}) as { errors?: readonly Error[]; code?: string };
  return errors[0]?.message ?? code ?? 'no reason was given';
}

function meterOf(meters: MeterProvider, nameOf: ProviderNames): (line: LedgerLine) => void {
  const meter = meters.getMeter(SCOPE.name);
  const [tokens, duration] = [METRICS.tokens, METRICS.duration].map(({ name, unit, description, bounds }) =>
    meter.createHistogram(name, { unit, description, advice: { explicitBucketBoundaries: bounds } }),
  );
  return (line) => {
    const attributes = callAttributes(line, nameOf);
    const { ms, usage } = line;
    if (ms !== undefined) duration?.record(ms / 1000, attributes);
    if (usage === undefined) return;
    tokens?.record(usage.input, { ...attributes, 'gen_ai.token.type': 'input' });
    tokens?.record(usage.output, { ...attributes, 'gen_ai.token.type': 'output' });
  };
}

function readable(
  span: SpanRecord,
  resource: Resource,
  { SpanKind, SpanStatusCode, TraceFlags }: OpenTelemetry['api'],
): ReadableSpan {
  const { trace, name, startedAt, endedAt, error } = span;
  const contextOf = (spanId: string): SpanContext => ({ traceId: trace, spanId, traceFlags: TraceFlags.SAMPLED });
  const own = contextOf(span.span);
  return {
    name,
    kind: span.kind === 'client' ? SpanKind.CLIENT : SpanKind.INTERNAL,
    spanContext: () => own,
    ...(span.parent !== undefined && { parentSpanContext: contextOf(span.parent) }),
    startTime: hrTime(startedAt),
    endTime: hrTime(endedAt),
    duration: hrTime(Math.max(0, endedAt - startedAt)),
    status: error === undefined ? { code: SpanStatusCode.UNSET } : { code: SpanStatusCode.ERROR, message: error },
    attributes: span.attributes,
    links: [],
    events: [],
    ended: true,
    resource,
    instrumentationScope: SCOPE,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

function hrTime(ms: number): HrTime {
  const seconds = Math.floor(ms / 1000);
  return [seconds, Math.round((ms - seconds * 1000) * 1e6)];
}
