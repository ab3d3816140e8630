// The routes of approvals: those that wait for a person in any run, and the answer.

import { z } from 'zod';
import { askedTool } from '../../engine/inspect/asked-tool.ts';
import { pinnedConfig, startOfRun } from '../../engine/pinned.ts';
import { approvalsOf } from '../../engine/remote/waiting-approvals.ts';
import type { RunId } from '../../journal/event.ts';
import type { AskedCall, AskedTool } from '../../kernel/approval.ts';
import { FaultError } from '../../kernel/fault.ts';
import type { Caller } from '../caller.ts';
import type { ServerContext } from '../context.ts';
import {
  type ApprovalInfo,
  ApprovalList,
  type DecidedInfo,
  GivenVerdict,
  type UntakenInfo,
} from '../messages/approvals.ts';
import { OP_PARAM } from '../messages/fields.ts';
import { visibleRun, visibleRuns } from '../runs/visible-runs.ts';
import { CONTROL_ANSWERS, sendToRun } from './control-routes.ts';
import { json, type Route, route, runRoute } from './route.ts';

export const approvalRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/approvals',
    name: 'listApprovals',
    tag: 'approvals',
    summary: 'The calls and questions that wait for a person, in any run, oldest first.',
    permission: 'see',
    query: {
      run: z.string().describe('Only those of this run.').exactOptional(),
      decided: z
        .int()
        .min(1)
        .max(100)
        .describe('Also so many of those that were decided last, newest first, with what came of the call.')
        .exactOptional(),
    },
    answers: {
      200: {
        description:
          'The ops that wait. `untaken`: verdicts for a run that no process works on, which takes them first when it goes on.',
        body: ApprovalList,
      },
    },
    answer: async ({ caller, query }, context) => {
      const { run: asked, decided: most } = query;
      const open = await openFor(caller, context, asked);
      const decided = most === undefined ? undefined : await decidedLast(most, asked, caller, context);
      const body: ApprovalList = decided === undefined ? open : { ...open, decided };
      return json(body);
    },
  }),
  runRoute({
    method: 'POST',
    path: '/api/runs/:run/ops/:path/verdict',
    name: 'giveVerdict',
    tag: 'approvals',
    summary: 'Answers a call or a question that waits. The first answer counts.',
    permission: 'approve',
    params: {
      path: OP_PARAM.describe('The op that waits.'),
    },
    body: GivenVerdict,
    answers: CONTROL_ANSWERS,
    faults: [
      'approval/unknown',
      'approval/decided',
      'approval/changed',
      'approval/answer',
      'run/finished',
      'run/locked',
    ],
    answer: async ({ row: { run }, params, caller, body }, context) => {
      const op = params.path;
      return json(await sendToRun(run, { kind: 'verdict', op, ...body }, caller, context));
    },
  }),
];

/** The approvals for which no run has taken a verdict, oldest first. */
async function openFor(
  caller: Caller,
  context: ServerContext,
  asked: string | undefined,
): Promise<Pick<ApprovalList, 'waiting' | 'untaken'>> {
  const waiting: ApprovalInfo[] = [];
  const untaken: UntakenInfo[] = [];
  const add = async (run: RunId, agent: string, state: ApprovalInfo['state']): Promise<void> => {
    const found = await approvalsOf(run, context.store);
    for (const one of found.untaken) untaken.push({ run, agent, state, ...one });
    if (found.waiting.length === 0) return;
    const toolOf = await toolsAskedAbout(run, context);
    for (const one of found.waiting) {
      const tool = await toolOf(one.about);
      waiting.push({ run, agent, state, ...one, ...(tool && { tool }) });
    }
  };
  if (asked !== undefined) {
    const { run, agent, state } = await visibleRun(asked, caller, context);
    await add(run, agent, state);
    return { waiting, untaken };
  }
  for (let before: RunId | undefined; ; ) {
    const page = await visibleRuns({ waiting: true, ...(before !== undefined && { before }) }, caller, context);
    for (const { run, agent, prefix, state } of page.items) await add(run, (prefix ?? '') + agent, state);
    if (page.next === undefined) break;
    before = page.next;
  }
  const oldestFirst = (one: ApprovalInfo, other: ApprovalInfo): number => one.at - other.at;
  return { waiting: waiting.sort(oldestFirst), untaken: untaken.sort(oldestFirst) };
}

/** A run whose configuration is gone still waits: nothing is said of its tools then. */
async function toolsAskedAbout(
  run: RunId,
  { store, cadres, engine }: ServerContext,
): Promise<(about: unknown) => Promise<AskedTool | undefined>> {
  try {
    const start = await startOfRun(run, store);
    const { folder } = start;
    const config = await pinnedConfig(start, store);
    const atWork = engine.isAtWork(run) ? cadres.ofFolder(folder)?.host : undefined;
    return (about) => askedTool((about ?? {}) as Partial<AskedCall>, { config, folder }, atWork);
  } catch (thrown) {
    if (!(thrown instanceof FaultError)) throw thrown;
    return async () => undefined;
  }
}

/** The number of the newest runs that are looked at. */
const LOOKED_AT = 500;

/** Those of the newest runs. Each journal is read, so no more of them than are asked for. */
async function decidedLast(
  most: number,
  asked: string | undefined,
  caller: Caller,
  context: ServerContext,
): Promise<readonly DecidedInfo[]> {
  const items =
    asked === undefined
      ? (await visibleRuns({ limit: LOOKED_AT }, caller, context)).items
      : [await visibleRun(asked, caller, context)];
  const found: DecidedInfo[] = [];
  for (const { run, agent, prefix, state, outcome } of items.filter((row) => (row.decided ?? 0) > 0)) {
    if (found.length >= most) break;
    const { settled } = await approvalsOf(run, context.store);
    const whose = { run, agent: (prefix ?? '') + agent, state, ...(outcome !== undefined && { outcome }) };
    for (const one of settled) found.push({ ...whose, ...one });
  }
  return found.sort((one, other) => other.decidedAt - one.decidedAt).slice(0, most);
}
