// Rules about `compact`: the model that sums up is known and its window holds what it gets, and a session has more turns
// than it keeps.

import { windowIn } from '../known-window.ts';
import { forEachAgent, placeIn } from './checkup.ts';
import { unknownModel } from './models.ts';

export const summaryModelResolves = forEachAgent((agent, checkup) => {
  const model = agent.definition.compact?.model;
  if (model === undefined) return;
  const problem = unknownModel(model, checkup);
  if (problem !== undefined) checkup.report({ ...problem, ...placeIn(agent, checkup, ['compact', 'model']) });
});

/** Only windows of cadre.yaml are compared: those of the price table change without the folder. */
export const summaryModelHoldsTheWindow = forEachAgent((agent, checkup) => {
  const { compact, models } = agent.definition;
  if (compact?.model === undefined) return;
  const { config } = checkup.config;
  const window = windowIn(compact.model, config);
  const windows = models.map((model) => windowIn(model, config));
  const smallest = Math.min(...windows.map((one) => one ?? Infinity));
  if (window === undefined || windows.includes(undefined) || window >= smallest) return;
  checkup.report({
    code: 'compact/window',
    severity: 'warning',
    ...placeIn(agent, checkup, ['compact', 'model']),
    message: `the window of ${compact.model} is ${window} tokens, and it is to sum up a conversation of up to ${smallest}`,
    help: 'Name a model whose window is as large, or leave the key out: the agent’s own models sum up then.',
  });
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
