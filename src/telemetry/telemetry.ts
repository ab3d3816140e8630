// Telemetry of the runs of this process: watches them and tells a collector. It is loaded only if it is configured, and
// OpenTelemetry with it. It never fails a run: if something cannot be sent, it warns once.

import type { TelemetrySettings } from '../definition/read/config/config-telemetry.ts';
import type { RunEvent, RunId } from '../journal/event.ts';
import { traceOf } from '../journal/trace-context.ts';
import type { ProviderNames } from './gen-ai.ts';
import { openCollector } from './otlp.ts';
import type { OpenTelemetry } from './packages.ts';
import { spanFold } from './span-fold.ts';

export interface Telemetry {
  /** A watcher of one run; `recorded` is what happened in it before this process. */
  watch(run: RunId, recorded: readonly RunEvent[]): { event(event: RunEvent): void };
  /** Sends what has been gathered. Never throws, and ends in time even if the collector does not answer. */
  flush(): Promise<void>;
  /** The last flush. */
  close(): Promise<void>;
}

export function openTelemetry({
  otel,
  settings,
  nameOf,
  traceparent,
  warn,
}: {
  readonly otel: OpenTelemetry;
  readonly settings: TelemetrySettings;
  readonly nameOf: ProviderNames;
  /** The W3C trace context that the process was started with. */
  readonly traceparent?: string | undefined;
  warn(text: string): void;
}): Telemetry {
  const collector = openCollector(otel, settings, nameOf, warn);
  return {
    watch(run, recorded) {
      const trace = traceOf(run, traceparent);
      const fold = spanFold(run, trace, nameOf, trace.sampled ? collector : { ...collector, span() {} });
      for (const event of recorded) fold.add(event, true);
      return { event: (event) => fold.add(event) };
    },
    flush: () => inTime(collector.flush()),
    close: () => inTime(collector.close()),
  };
}

const PATIENCE_MS = 5000;

async function inTime(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS);
  });
  await Promise.race([work.catch(() => {}), late]); // the exporter has already warned of a failure
  clearTimeout(timer);
}
