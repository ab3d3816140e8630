// The telemetry that a cadre asks for. Imports nothing of OpenTelemetry unless there is some.

import type { CadreDefinition } from '../agents/definition.ts';
import { isTelemetryOn, telemetrySettings } from '../agents/read/config-telemetry.ts';
import { readEnvironment } from '../agents/read/variables.ts';
import { providerNames } from './gen-ai.ts';
import type { Telemetry } from './telemetry.ts';

/** Undefined where it is off. Rejects where cadre.yaml names a variable that is not set. */
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
