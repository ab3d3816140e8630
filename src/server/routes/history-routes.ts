// The routes of the record of a run: see its agents, fork it, replay it, compare it.

import { z } from 'zod';
import type { CadreDefinition } from '../../definition/definition.ts';
import { graphOf } from '../../definition/show/graph.ts';
import { forkRun, unlessUnused } from '../../engine/history/fork.ts';
import { refusePinnedOnly } from '../../engine/history/pinned-config.ts';
import { recordedPrompts } from '../../engine/history/recorded-prompts.ts';
import { replayRun } from '../../engine/history/replay-run.ts';
import { modelPrices } from '../../engine/inspect/model-prices.ts';
import { pinnedCadre, readAll, startOfRun } from '../../engine/pinned.ts';
import type { RunId } from '../../journal/event.ts';
import { inSlices } from '../../journal/slices.ts';
import { fail, faultOf } from '../../kernel/fault.ts';
import { forkPreview } from '../../views/fork-preview.ts';
import { diffSteps } from '../../views/report/diff.ts';
import type { ServerContext } from '../context.ts';
import { OP_PARAM } from '../messages/fields.ts';
import {
  DiffShown,
  ForkedRun,
  ForkRun,
  PreviewShown,
  PromptShown,
  ReplayResult,
  ReplayRun,
  RunAgents,
} from '../messages/history.ts';

import { visibleRun } from '../runs/visible-runs.ts';
import { agentInfo } from './cadre-routes.ts';
import { json, longJson, type Route, route, runRoute } from './route.ts';

export const historyRoutes: readonly Route[] = [
  runRoute({
    method: 'GET',
    path: '/api/runs/:run/agents',
    name: 'getRunAgents',
    tag: 'history',
    summary: 'The agents as they were when the run began, who may lead to whom, and what their models cost.',
    permission: 'see',
    answers: {
      200: {
        description:
          'Their definitions and their graph; dollars for a million tokens by `provider/model`, where that is known.',
        body: RunAgents,
      },
    },
    faults: ['journal/corrupt'],
    answer: async ({ row: { run, prefix } }, context) => {
      const pinned = await pinnedOf(run, context);
      const body: RunAgents = {
        agents: [...pinned.agents.values()].map((agent) => ({
          ...agentInfo(agent, prefix ?? ''),
          system: agent.system,
        })),
        graph: graphOf(pinned),
        prices: await modelPrices(pinned),
      };
      return json(body);
    },
  }),
  runRoute({
    method: 'GET',
    path: '/api/runs/:run/fork',
    name: 'previewFork',
    tag: 'history',
    summary: 'The ops that a fork would take over, and those that it would do again.',
    permission: 'see',
    query: { at: OP_PARAM.describe('The first op that would be done again.') },
    answers: {
      200: {
        description: 'The ops that it would take over.',
        body: PreviewShown,
      },
    },
    faults: ['usage'],
    answer: async ({ row: { run }, query }, context) => {
      return longJson(await inSlices(forkPreview(await readAll(run, context.store), query.at)));
    },
  }),
  runRoute({
    method: 'POST',
    path: '/api/runs/:run/fork',
    name: 'forkRun',
    tag: 'history',
    summary: 'Copies a run up to an op into a new run, and goes on live from there.',
    permission: 'run',
    body: ForkRun,
    answers: {
      202: {
        description: 'The new run is at work.',
        body: ForkedRun,
      },
    },
    faults: ['usage', 'agent/unknown', 'agent/invalid', 'model/unknown', 'config/pinned-only', 'server/draining'],
    answer: async ({ row: { run }, body }, context) => {
      const forked = await forkedRun(run, body, context);
      return json(forked, 202, { location: `/api/runs/${forked.run}` });
    },
  }),
  runRoute({
    method: 'GET',
    path: '/api/runs/:run/prompts/:op',
    name: 'getPrompt',
    tag: 'history',
    summary: 'The parts of the prompt of a model call, each with its source and its tokens.',
    permission: 'see',
    params: { op: OP_PARAM },
    answers: { 200: { description: 'The parts, in the order of the prompt.', body: PromptShown } },
    faults: ['usage', 'journal/corrupt'],
    answer: async ({ row: { run }, params }, context) => {
      const events = await readAll(run, context.store);
      const [prompt] = await recordedPrompts(events, context.store, { op: params.op });
      return json(
        prompt ?? fail('usage', `Op ${params.op} is no model call of this run, or its prompt cannot be replayed.`),
      );
    },
  }),
  runRoute({
    method: 'POST',
    path: '/api/runs/:run/replay',
    name: 'replayRun',
    tag: 'history',
    summary: 'Repeats a run on its recorded answers, and says whether anything differs. Calls no model and no tool.',
    permission: 'see',
    body: ReplayRun,
    answers: {
      200: {
        description: 'Says that it is identical, or tells the first difference.',
        body: ReplayResult,
      },
    },
    faults: ['agent/unknown', 'agent/invalid'],
    answer: async ({ row: { run }, body }, context) => {
      return json(await replayOf(run, body.pinned === true, context));
    },
  }),
  route({
    method: 'GET',
    path: '/api/diff',
    name: 'diffRuns',
    tag: 'history',
    summary: 'The step at which two runs part, and the outcome of each.',
    permission: 'see',
    query: {
      a: z.string().describe('A run.'),
      b: z.string().describe('The other.'),
    },
    answers: { 200: { description: 'The difference as `cadre diff --json` prints it.', body: DiffShown } },
    faults: ['run/unknown', 'journal/corrupt'],
    answer: async ({ query, caller }, context) => {
      const { run: one } = await visibleRun(query.a, caller, context);
      const { run: other } = await visibleRun(query.b, caller, context);
      const [left, right] = [await readAll(one, context.store), await readAll(other, context.store)];
      return longJson(await inSlices(diffSteps(left, right)));
    },
  }),
];

const pinnedOf = async (run: RunId, { store, load }: ServerContext): Promise<CadreDefinition> =>
  pinnedCadre(await startOfRun(run, store), store, load);

async function forkedRun(
  run: RunId,
  { agents = 'pinned', ...changes }: ForkRun,
  context: ServerContext,
): Promise<ForkedRun> {
  const { store, engine, runs, cadres, now, log, load } = context;
  const start = await startOfRun(run, store);
  const pinned = await pinnedCadre(start, store, load);
  if (agents === 'pinned') refusePinnedOnly(pinned, { recorded: start.workspace });
  const cadre = agents === 'pinned' ? pinned : todays(pinned.folder, cadres);
  const texts = agents === 'pinned' ? 'pinned' : 'other';
  const forked = await forkRun({ run, ...changes }, { store, cadre, texts, now, known: load });
  await runs.resume(forked.run);
  unlessUnused(forked, store, () => engine.outcome(forked.run)).catch((thrown: unknown) =>
    log(`Fork ${forked.run} cannot go on: ${faultOf(thrown).message}`),
  );
  return { run: forked.run, events: forked.events };
}

function todays(folder: string, cadres: ServerContext['cadres']): CadreDefinition {
  const { host } = cadres.ofFolder(folder) ?? {};
  return (
    host?.definition ?? fail('usage', 'The folder of this run is not served here, so there are no agents of today.')
  );
}

async function replayOf(run: RunId, pinned: boolean, { store, load }: ServerContext): Promise<ReplayResult> {
  const { result, events, changed, texts } = await replayRun(run, store, { pinned }, { knownTools: load.knownTools });
  const ended = events.at(-1)?.type === 'run-end';
  const common = { events: events.length, ended, changed, texts };
  return result.kind === 'identical'
    ? { kind: 'identical', ...common }
    : { kind: 'different', difference: result.difference, ...common };
}
