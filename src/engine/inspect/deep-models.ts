// The findings of a deep check about models: scripts and recordings that cannot be used or speak of agents that are not
// there, agents without a model that is ready, and models without a price under a budget of dollars. Calls no model.

import { readScript } from '../../base/disk/regular.ts';
import { didYouMean } from '../../base/text/nearest.ts';
import { teamOfAlone } from '../../definition/alone-name.ts';
import type { AgentDefinition, CadreDefinition } from '../../definition/definition.ts';
import type { Diagnostic } from '../../definition/diagnostic.ts';
import { reachableFrom } from '../../definition/reach.ts';
import type { AgentName } from '../../kernel/effect.ts';
import { faultOf } from '../../kernel/fault.ts';
import { openTape } from '../../models/recorded/tape.ts';
import { loadScript } from '../../models/scripted/load.ts';
import { configFinding, findingAt, lineOfKey, shownPath } from './deep-findings.ts';
import { modelUses } from './model-uses.ts';
import { openInspectedModels } from './registry.ts';

/** `everyone` are the names of all agents of the folder, also of those that are not looked at. */
export async function modelFindings(
  cadre: CadreDefinition,
  everyone: ReadonlySet<AgentName>,
): Promise<readonly Diagnostic[]> {
  const all = await Promise.all([
    scripts(cadre, everyone),
    recordings(cadre, everyone),
    unready(cadre),
    unpriced(cadre),
  ]);
  return all.flat();
}

/** The agents that answer from a provider, by its name. */
function usersOf(cadre: CadreDefinition, provider: string): readonly AgentDefinition[] {
  const uses = (model: string): boolean => (cadre.config.models[model]?.use ?? model).startsWith(`${provider}/`);
  return [...cadre.agents.values()].filter(({ models }) => models.some(uses));
}

/** Looks at the file of each provider that has one. A file that cannot be read is a finding too. */
async function inFiles(
  cadre: CadreDefinition,
  kind: 'script' | 'recording',
  look: (path: string, provider: string) => Promise<readonly Diagnostic[]>,
): Promise<readonly Diagnostic[]> {
  const help = kind === 'script' ? 'Fix the script.' : 'Remove it, and record it again.';
  const found = Object.entries(cadre.config.providers).map(async ([id, { [kind]: path }]) => {
    if (path === undefined) return [];
    try {
      return await look(path, id);
    } catch (thrown) {
      const message = `the ${kind} ${shownPath(cadre, path)} cannot be used: ${faultOf(thrown).message}`;
      return [configFinding(cadre, id, { code: `${kind}/invalid`, severity: 'error', message, help })];
    }
  });
  return (await Promise.all(found)).flat();
}

const scripts = (cadre: CadreDefinition, everyone: ReadonlySet<AgentName>): Promise<readonly Diagnostic[]> =>
  inFiles(cadre, 'script', async (path, id) => {
    const script = loadScript(await readScript(path), shownPath(cadre, path));
    const strangers = [...script.agents].filter(([name]) => !everyone.has(name) && !everyone.has(teamOfAlone(name)));
    const silent = script.any.length > 0 ? [] : usersOf(cadre, id).filter(({ name }) => !script.agents.has(name));
    return [
      ...strangers.map(([name, [first]]) =>
        findingAt(script.file, first?.line ?? 1, {
          code: 'script/unknown-agent',
          severity: 'warning',
          message: `there is no agent "${name}", so its steps are never used`,
          help: didYouMean(name, [...everyone]).trim() || 'Remove the steps, or name the agent that they are for.',
        }),
      ),
      ...silent.map(({ name, file }) =>
        findingAt(file, 1, {
          code: 'script/no-steps',
          severity: 'warning',
          message: `${script.file} has no step for "${name}"`,
          help: `Add steps for it under agents, or under any. Without them the first call of ${id} fails.`,
        }),
      ),
    ];
  });

const recordings = (cadre: CadreDefinition, everyone: ReadonlySet<AgentName>): Promise<readonly Diagnostic[]> =>
  inFiles(cadre, 'recording', async (path, id) => {
    const file = shownPath(cadre, path);
    const warn = (code: string, message: string, help: string): Diagnostic =>
      configFinding(cadre, id, { code, severity: 'warning', message, help });
    const { mode, takes } = await openTape(path);
    const gone = new Set(takes.map(({ agent }) => agent).filter((agent) => !everyone.has(agent)));
    const wraps = cadre.config.providers[id]?.wraps ?? 'the provider';
    const missing = `${file} is not there yet: the first run makes it, and calls ${wraps}`;
    return [
      ...(mode === 'record' ? [warn('recording/missing', missing, 'Record it once.')] : []),
      ...[...gone].map((agent) =>
        warn(
          'recording/unknown-agent',
          `${file} holds answers of "${agent}", which is not an agent of this folder`,
          'Record it again, or bring the agent back.',
        ),
      ),
    ];
  });

/** An agent needs one model of its list that can be called. */
async function unready(cadre: CadreDefinition): Promise<readonly Diagnostic[]> {
  const { uses } = await modelUses([{ prefix: '', cadre }]);
  return [...cadre.agents.values()].flatMap((agent): readonly Diagnostic[] => {
    const own = uses.filter((use) => use.agent === agent.name);
    if (own.length === 0 || own.some(({ ready }) => ready)) return [];
    const states = own.map(({ model, state }) => `${model}: ${state}`).join('; ');
    return [
      findingAt(agent.file, lineOfKey(agent.text, 'models'), {
        code: 'model/not-ready',
        severity: 'error',
        message: `no model of "${agent.name}" can be called: ${states}`,
        help: 'Set its key, start its server, or name another model. "cadre models" shows all of them.',
      }),
    ];
  });
}

const ONE_CALL = { input: 1000, output: 1000 };

/** A model without a price does not run under a budget of dollars, wherever below the agent it is. */
async function unpriced(cadre: CadreDefinition): Promise<readonly Diagnostic[]> {
  const limited = [...cadre.agents.values()].filter(
    ({ budget }) => budget?.usd !== undefined && budget.allowUnpriced !== true,
  );
  if (limited.length === 0) return [];
  const registry = openInspectedModels(cadre);
  try {
    const found: Diagnostic[] = [];
    for (const agent of limited) {
      for (const name of reachableFrom(cadre, agent.name)) {
        for (const model of cadre.agents.get(name)?.models ?? []) {
          const resolved = await registry.resolve(model);
          if (!resolved.ok || resolved.value.cost?.(ONE_CALL) !== undefined) continue;
          found.push(
            findingAt(agent.file, lineOfKey(agent.text, 'budget'), {
              code: 'model/unpriced',
              severity: 'error',
              message: `"${agent.name}" has a budget of dollars, and ${model}${name === agent.name ? '' : ` of ${name}`} has no known price`,
              help: 'Give it a price under models in cadre.yaml, or set allowUnpriced: true in the budget.',
            }),
          );
        }
      }
    }
    return found;
  } finally {
    await registry.close();
  }
}
