// The texts in which a spawned run's result reaches others: the run that comes after it, and the session that
// spawned it. Always fenced: what a run wrote is data to whoever reads it.

import { isBroken, type Outcome } from '../../kernel/outcome.ts';
import { endState, isOver, type SpawnId, type SpawnReport } from '../../kernel/spawned.ts';
import { section } from '../sections.ts';
import { BRIEF, fenced, ROOMY, shortened } from './fence.ts';

/** The answer; or why there is none, and what there is of one. */
export function resultText(outcome: Outcome): string {
  if (!isBroken(outcome)) return 'text' in outcome ? outcome.text : '';
  const partial = outcome.partial === undefined ? '' : `\n\nPartial output:\n\n${outcome.partial}`;
  return `${outcome.fault.message}${partial}`;
}

/** A task with the results before it: one block for each dependency, labelled where there are several. */
export function previousSteps(dependencies: readonly SpawnReport[], task: string): string {
  const blocks = dependencies.map((report) => {
    const title = dependencies.length === 1 ? '' : ` ${report.label}`;
    return `[Previous step result]:${title}\n${dependencyText(report)}`;
  });
  return [...blocks, `[Current task]:\n${task}`].join('\n\n');
}

function dependencyText(report: SpawnReport): string {
  const { outcome, label, state } = report;
  const text = outcome === undefined ? notOver(state) : shortened(resultText(outcome), ROOMY, wayToAll(report));
  return fenced(text, `result of ${label}, ${outcome === undefined ? state : endState(outcome)}`);
}

/** A result of this very run can be read back; one of another run is in that run's journal. */
export const wayToAll = ({ parent, run, session }: SpawnReport): string =>
  parent === '' ? `All of it is in run ${run}` : `Read all of it with read_result({"handle": "${session}"})`;

const notOver = (state: SpawnReport['state']): string =>
  isOver(state) ? 'It left no result.' : `It had not ended when this run stopped waiting for it: it was ${state}.`;

export function announcement(label: string, run: SpawnId, outcome: Outcome): string {
  const state = endState(outcome);
  const way = `Read all of it with sessions_result({"runId": "${run}"})`;
  return section(
    `## SPAWNED RUN \`${label}\` HAS ENDED: ${state}`,
    `runId: ${run}\n\n${fenced(shortened(resultText(outcome), BRIEF, way), `result of ${label}, ${state}`)}`,
  );
}

export const fromParent = (agent: string, message: string): string =>
  section(`## MESSAGE FROM AGENT \`${agent}\` WHO SPAWNED YOU`, message);
