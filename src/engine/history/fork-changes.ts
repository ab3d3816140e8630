// A fork may change its agents, for itself alone: the text of some, the models, the budget of the agent that was asked.
// The changed texts are pinned with the new run. No file of the folder is touched.

import { modelProblem } from '../../definition/check/rules/models.ts';
import type { CadreDefinition } from '../../definition/definition.ts';
import { isError, renderText } from '../../definition/diagnostic.ts';
import type { AssemblyOptions } from '../../definition/link/assemble.ts';
import { readTexts } from '../../definition/load.ts';
import { type BudgetText, withBudget, withPrompt } from '../../definition/read/edit-agent.ts';
import type { ModelsInPlace } from '../../journal/event.ts';
import type { AgentName } from '../../kernel/effect.ts';
import { fail } from '../../kernel/fault.ts';
import { ALL_OTHERS } from '../../run/driven-run.ts';
import { agentIn } from '../request.ts';

export interface ForkChanges {
  /** Another system prompt, by agent. */
  readonly prompts?: Readonly<Record<AgentName, string>>;
  /** Models in place of every agent's own, or by agent. `*` stands for every agent that is not named. */
  readonly models?: ModelsInPlace;
  /** In place of the budget of the agent that was asked. */
  readonly budget?: BudgetText;
}

/** Throws `agent/unknown`, `usage`, or `agent/invalid` with the findings in the new texts. */
export function editedCadre(
  cadre: CadreDefinition,
  asked: AgentName,
  { prompts = {}, budget }: ForkChanges,
  options: AssemblyOptions = {},
) {
  const texts = new Map(cadre.texts);
  const edit = (name: AgentName, change: (agent: { name: AgentName; text: string }) => string): void => {
    const { file, name: own } = agentIn(cadre, name);
    texts.set(file, change({ name: own, text: texts.get(file) ?? '' }));
  };
  for (const [name, prompt] of Object.entries(prompts)) edit(name, (agent) => withPrompt(agent, prompt));
  if (budget !== undefined) edit(asked, (agent) => withBudget(agent, budget));
  const edited = [...texts.keys()].filter((file) => texts.get(file) !== cadre.texts.get(file));
  if (edited.length === 0) return { cadre, edited };
  return { cadre: checked(cadre, texts, options), edited };
}

/** The agents of the folder that could run before can still run. */
function checked(
  { folder, agents }: CadreDefinition,
  texts: ReadonlyMap<string, string>,
  options: AssemblyOptions,
): CadreDefinition {
  const { cadre, diagnostics } = readTexts(folder, texts, options);
  if (cadre !== undefined && [...agents.keys()].every((name) => cadre.agents.has(name))) return cadre;
  const findings = diagnostics.filter(isError);
  return fail('agent/invalid', `With these changes its agents cannot run:\n\n${renderText(findings, { texts })}`, {
    diagnostics: findings,
  });
}

/** The models of a fork: what it names, over what the run that it comes from had named. Throws `model/unknown`. */
export function modelsOfFork(
  before: ModelsInPlace | undefined,
  given: ModelsInPlace | undefined,
  cadre: CadreDefinition,
): ModelsInPlace | undefined {
  if (given === undefined) return before;
  for (const model of Object.values(given).flat()) {
    const problem = modelProblem(model, cadre.config);
    if (problem !== undefined) fail('model/unknown', `${problem.message}. ${problem.help}`);
  }
  if (isForAll(given)) return given;
  const named = Object.entries(given).map(
    ([name, models]) => [name === ALL_OTHERS ? name : agentIn(cadre, name).name, models] as const,
  );
  return {
    ...(before !== undefined && (isForAll(before) ? { [ALL_OTHERS]: before } : before)),
    ...Object.fromEntries(named),
  };
}

const isForAll = (models: ModelsInPlace): models is readonly string[] => Array.isArray(models);
