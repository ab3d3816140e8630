// The telemetry that a cadre asks for. Imports OpenTelemetry only if telemetry is on.

import type { CadreDefinition } from '../agents/definition.ts';
import { isTelemetryOn, telemetrySettings } from '../agents/read/config-telemetry.ts';
import { readEnvironment } from '../agents/read/variables.ts';
import { providerNames } from './gen-ai.ts';
import type { Telemetry } from './telemetry.ts';

/** Undefined if telemetry is off. Rejects if cadre.yaml names a variable that is not set. */
export async function telemetryFor(
  { config, folder }: CadreDefinition,
  warn: (text: string) => void,
): Promise<Telemetry | undefined> {
  if (!isTelemetryOn(config, process.env)) return undefined;
  const environment = config.telemetry === undefined ? process.env : readEnvironment(folder);
  const settings = telemetrySettings(config, environment);
  if (settings === undefined) return undefined;
  const { openTelemetry } = await import('./telemetry.ts');
  const traceparent = process.env['TRACEPARENT'];
  return openTelemetry({ settings, nameOf: providerNames(config.providers), traceparent, warn });
}
