// Rules about `compact`: the model that sums up is known, and a session has more turns than it keeps.

import { forEachAgent, placeIn } from './checkup.ts';
import { modelProblem } from './models.ts';

export const summaryModelResolves = forEachAgent((agent, checkup) => {
  const model = agent.definition.compact?.model;
  if (model === undefined) return;
  const problem = modelProblem(model, checkup.config.config);
  if (problem === undefined || (checkup.anyProvider && model.includes('/'))) return;
  checkup.report({ code: 'model/unknown', ...placeIn(agent, checkup, ['compact', 'model']), ...problem });
});

/** A key of cadre.yaml, which is for all agents, need not act in each. */
export const compactionsCanCome = forEachAgent((agent, checkup) => {
  const { compact, maxTurns } = agent.definition;
  if (compact === undefined || agent.file.tree?.entries.has('compact') !== true || maxTurns > compact.keep + 1) return;
  checkup.report({
    code: 'compact/never',
    severity: 'warning',
    ...placeIn(agent, checkup, ['compact', 'keep']),
    message: `\`compact\` keeps ${compact.keep} turns, and a session of ${maxTurns} has no earlier one to sum up`,
    help: `Write a smaller keep, or maxTurns: ${compact.keep + 2} or more.`,
  });
});
