// The telemetry that a cadre asks for. Imports OpenTelemetry only if telemetry is on.

import type { CadreDefinition } from '../definition/definition.ts';
import { isTelemetryOn, telemetrySettings } from '../definition/read/config/config-telemetry.ts';
import { readEnvironment } from '../definition/read/variables.ts';
import { FaultError } from '../kernel/fault.ts';
import { providerNames } from './gen-ai.ts';
import type { Telemetry } from './telemetry.ts';

/**
 * Undefined if telemetry is off. Rejects if cadre.yaml names a variable that is not set, or asks for telemetry where
 * OpenTelemetry is not installed. A machine may set the usual variables for every process, so they only warn.
 */
export async function telemetryFor(
  { config, folder }: CadreDefinition,
  warn: (text: string) => void,
): Promise<Telemetry | undefined> {
  if (!isTelemetryOn(config, process.env)) return undefined;
  const environment = config.telemetry === undefined ? process.env : readEnvironment(folder);
  const settings = telemetrySettings(config, environment);
  if (settings === undefined) return undefined;
  const [{ openTelemetry }, { loadOpenTelemetry }] = await Promise.all([
    import('./telemetry.ts'),
    import('./packages.ts'),
  ]);
  const otel = await loadOpenTelemetry(folder);
  if (!otel.ok) {
    if (config.telemetry !== undefined) throw new FaultError(otel.fault);
    warn(otel.fault.message);
    return undefined;
  }
  const traceparent = process.env['TRACEPARENT'];
  return openTelemetry({ otel: otel.value, settings, nameOf: providerNames(config.providers), traceparent, warn });
}
