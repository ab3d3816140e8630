// The texts in which a spawned run's result reaches others: the run that comes after it, and the session that
// spawned it. They are always fenced: what a run wrote is data to its reader.

import type { Outcome } from '../../kernel/outcome.ts';
import { endState, isOver, type SpawnId, type SpawnReport } from '../../kernel/spawned.ts';
import { BRIEF, fenceData, ROOMY, shortenText } from '../fence.ts';
import { quoteText } from '../quote-text.ts';
import { resultText } from '../run-agent.ts';
import { section } from '../sections.ts';

/** A sentence that says how to read the whole of a result, and the handle that it names. */
export interface Way {
  readonly words: string;
  readonly handle?: string;
}

export type WayTo = (report: SpawnReport) => Way;

/** A result of this same run can be read back. */
export const readBack: WayTo = ({ session }) => ({
  words: `Read all of it with read_result({"handle": "${session}"})`,
  handle: session,
});

/** A result of another run is in that run's journal. Its handle would mean something else here. */
export const lookUp: WayTo = ({ run }) => ({ words: `All of it is in run ${run}` });

/** The results of other runs that a run gets: a text, and the handles of results that it holds only in part. */
interface HandedOn {
  readonly text: string;
  readonly handles: readonly string[];
}

/** A task with the results before it: one block for each dependency, labelled if there are several. */
export function previousSteps(dependencies: readonly SpawnReport[], task: string, wayTo: WayTo): HandedOn {
  const given = dependencies.map((report) => dependencyText(report, wayTo(report)));
  const blocks = given.map(({ text }, index) => {
    const title = dependencies.length === 1 ? '' : ` ${dependencies[index]?.label}`;
    return `[Previous step result]:${title}\n${text}`;
  });
  return {
    text: [...blocks, `[Current task]:\n${quoteText(task)}`].join('\n\n'),
    handles: given.flatMap(({ handles }) => handles),
  };
}

function dependencyText({ outcome, label, state }: SpawnReport, way: Way): HandedOn {
  const result = outcome === undefined ? notOver(state) : resultText(outcome);
  const text = shortenText(result, ROOMY, way.words);
  return {
    text: fenceData(text, `result of ${label}, ${outcome === undefined ? state : endState(outcome)}`),
    handles: text !== result && way.handle !== undefined ? [way.handle] : [],
  };
}

const notOver = (state: SpawnReport['state']): string =>
  isOver(state) ? 'It left no result.' : `It had not ended when this run stopped waiting for it: it was ${state}.`;

export function announcement(label: string, run: SpawnId, outcome: Outcome): string {
  const state = endState(outcome);
  const way = `Read all of it with sessions_result({"runId": "${run}"})`;
  return section(
    `## SPAWNED RUN \`${label}\` HAS ENDED: ${state}`,
    `runId: ${run}\n\n${fenceData(shortenText(resultText(outcome), BRIEF, way), `result of ${label}, ${state}`)}`,
  );
}

export const fromParent = (agent: string, message: string): string =>
  section(`## MESSAGE FROM AGENT \`${agent}\` WHO SPAWNED YOU`, quoteText(message));
