// OpenTelemetry's packages. They are not installed with Cadre, because few need them and they are larger than all the rest:
// whoever configures telemetry installs them too. The one file that says which versions it takes.

import { pathToFileURL } from 'node:url';
import type * as Api from '@opentelemetry/api';
import type * as MetricExporter from '@opentelemetry/exporter-metrics-otlp-http';
import type * as TraceExporter from '@opentelemetry/exporter-trace-otlp-http';
import type * as Resources from '@opentelemetry/resources';
import type * as SdkMetrics from '@opentelemetry/sdk-metrics';
import type * as SdkTrace from '@opentelemetry/sdk-trace';
import { findPackage, type InstalledPackage } from '../base/disk/package.ts';
import { UnusableFile } from '../base/disk/regular.ts';
import { type Fault, fault, faultOf } from '../kernel/fault.ts';

/** The least version of each; the first number that is not 0 must be the same. As in package.json. */
export const OPEN_TELEMETRY = {
  '@opentelemetry/api': '1.9.1',
  '@opentelemetry/exporter-metrics-otlp-http': '0.223.0',
  '@opentelemetry/exporter-trace-otlp-http': '0.223.0',
  '@opentelemetry/resources': '2.12.0',
  '@opentelemetry/sdk-metrics': '2.12.0',
  '@opentelemetry/sdk-trace': '2.12.0',
} as const;

type PackageName = keyof typeof OPEN_TELEMETRY;

export interface OpenTelemetry {
  readonly api: typeof Api;
  readonly metricExporter: typeof MetricExporter;
  readonly traceExporter: typeof TraceExporter;
  readonly resources: typeof Resources;
  readonly metrics: typeof SdkMetrics;
  readonly trace: typeof SdkTrace;
}

/** Looks from the folder upward, then from Cadre's own place. Never throws: the fault says what to install. */
export async function loadOpenTelemetry(
  folder: string,
): Promise<{ readonly ok: true; readonly value: OpenTelemetry } | { readonly ok: false; readonly fault: Fault }> {
  const found = Object.entries(OPEN_TELEMETRY).map(([name, least]) => look(name, least, folder));
  const unusable = found.flatMap(({ trouble }) => trouble ?? []);
  if (unusable.length > 0) return { ok: false, fault: missing(unusable) };
  const entryOf = (name: PackageName): string => found.find((one) => one.name === name)?.entry ?? name;
  const load = async <Module>(name: PackageName): Promise<Module> => (await import(entryOf(name))) as Module;
  try {
    const value: OpenTelemetry = {
      api: await load('@opentelemetry/api'),
      metricExporter: await load('@opentelemetry/exporter-metrics-otlp-http'),
      traceExporter: await load('@opentelemetry/exporter-trace-otlp-http'),
      resources: await load('@opentelemetry/resources'),
      metrics: await load('@opentelemetry/sdk-metrics'),
      trace: await load('@opentelemetry/sdk-trace'),
    };
    return { ok: true, value };
  } catch (thrown) {
    return { ok: false, fault: missing([`one cannot be loaded: ${faultOf(thrown).message}`]) };
  }
}

function look(
  name: string,
  least: string,
  folder: string,
): {
  readonly name: string;
  /** The address of what `import` loads. */
  readonly entry?: string;
  readonly trouble?: string;
} {
  let found: InstalledPackage | undefined;
  try {
    found = findPackage(name, folder);
  } catch (thrown) {
    const why = thrown instanceof UnusableFile ? thrown.message : faultOf(thrown).message;
    return { name, trouble: `${name} is not used: ${why}` };
  }
  if (found?.entry === undefined) return { name, trouble: `${name} is not installed` };
  if (!satisfies(found.version, least))
    return { name, trouble: `${name} is ${found.version}, and ^${least} is needed` };
  return { name, entry: pathToFileURL(found.entry).href };
}

/** True as `^least` is meant in a package.json. */
function satisfies(version: string, least: string): boolean {
  const [has, needs] = [version, least].map((text) => text.split(/[.+-]/, 3).map(Number));
  if (has === undefined || needs === undefined) return false;
  const fixed = needs.findIndex((part) => part !== 0);
  const differs = needs.findIndex((part, index) => has[index] !== part);
  if (differs === -1) return true;
  return differs > fixed && (has[differs] ?? 0) > (needs[differs] ?? 0);
}

function missing(troubles: readonly string[]): Fault {
  const wanted = Object.entries(OPEN_TELEMETRY).map(([name, least]) => `${name}@^${least}`);
  return fault(
    'config/invalid',
    `telemetry is configured, but it has no OpenTelemetry to send with: ${troubles.join('; ')}. Install it beside ` +
      `cadre.yaml: npm install ${wanted.join(' ')}`,
  );
}
