// The models of a cadre's agents: behind the slots of their providers, under a run's budget, and in a helper's own process.

import type { AgentDefinition } from '../../definition/definition.ts';
import type { SettledResult } from '../../kernel/effect.ts';
import { FILE_KINDS, type Sight } from '../../kernel/file-ref.ts';
import type { GatedModel } from '../../models/gate.ts';
import type { ResolvedModel } from '../../models/provider.ts';
import type { ModelRegistry } from '../../models/registry/model-registry.ts';
import type { ModelListener } from '../resources.ts';
import { type FleetSlot, gatedModel } from './gated.ts';

/** The model that a name stands for: in the process of a helper, under the budget and its provider's limit. */
export function resolveWithin(
  name: string,
  registry: ModelRegistry,
  listener: ModelListener,
  slot: FleetSlot | undefined,
): SettledResult<GatedModel> | Promise<SettledResult<GatedModel>> {
  const found = registry.resolve(name);
  if (!(found instanceof Promise)) return behindGates(isolatedModel(found, name, listener), listener, slot);
  return found.then((resolved) => behindGates(isolatedModel(resolved, name, listener), listener, slot));
}

function isolatedModel(
  resolved: SettledResult<ResolvedModel>,
  name: string,
  { isolation }: ModelListener,
): SettledResult<ResolvedModel> {
  if (!resolved.ok || isolation === undefined) return resolved;
  const { provider } = resolved.value;
  return { ok: true, value: { ...resolved.value, provider: isolation.provider(provider.id, name) } };
}

function behindGates(
  resolved: SettledResult<ResolvedModel>,
  listener: ModelListener,
  slot: FleetSlot | undefined,
): SettledResult<GatedModel> {
  const { runBudget } = listener;
  if (!resolved.ok || (runBudget === undefined && resolved.value.limits === undefined)) return resolved;
  return {
    ok: true,
    value: gatedModel(resolved.value, { runBudget, waiting: (names, work) => listener.waiting(names, work), slot }),
  };
}

/** The smallest window of the agent's models, so that any of them can take over. */
export async function smallestWindow(agent: AgentDefinition, registry: ModelRegistry): Promise<number | undefined> {
  const windows: number[] = [];
  for (const name of agent.models) {
    const resolved = await registry.resolve(name);
    if (resolved.ok && resolved.value.contextWindow !== undefined) windows.push(resolved.value.contextWindow);
  }
  return windows.length === 0 ? undefined : Math.min(...windows);
}

/** The files that any of them sees: the one that can is asked. */
export function sightOfList(models: readonly string[], registry: ModelRegistry): Sight | undefined {
  const found = models.flatMap((name) => registry.sight(name) ?? []).filter(({ sees }) => sees.length > 0);
  if (found.length === 0) return undefined;
  const sees = FILE_KINDS.filter((kind) => found.some((one) => one.sees.includes(kind)));
  return { sees, rules: [...new Set(found.map(({ rule }) => rule))] };
}
