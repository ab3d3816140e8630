// The approvals that wait for a person, the decisions, and the answer of the person.

import { z } from 'zod';
import type { RunSummary } from '../../journal/store.ts';
import type { AskedTool } from '../../kernel/approval.ts';
import type { Verdict } from '../../kernel/effect.ts';
import type { DecidedApproval } from '../../views/approvals.ts';
import type { ValueOf } from './message.ts';
import { arrayOf, declaredAs, declaredKeys, exactObject, message, openObject, part } from './schema.ts';

const ToolShown = message(
  'AskedTool',
  declaredKeys<AskedTool>()({
    repeat: z
      .enum(['safe', 'never', 'decided'])
      .describe(
        'The way of a call that breaks off: `safe`: it is made again. `never`: the model is told that its outcome is unknown. `decided`: the tool finds out whether it took effect.',
      ),
    request: openObject({ method: z.string(), url: z.string().describe('Without secrets.') }).exactOptional(),
  }),
);

const VERDICT = declaredAs<Verdict>({
  type: 'object',
  description: '`approved`, and `note`, `by` and `answer` where they were given.',
});

const APPROVAL = {
  run: z.string(),
  agent: z.string(),
  state: z.enum(['running', 'broken-off', 'ended']),
  path: z.string(),
  asker: z.string().describe("The agent that asks: the run's own, or one below it."),
  prompt: z.string(),
  about: z.unknown().describe('The call that is asked about: its tool, its arguments, and what it would do.'),
  at: z.number().describe('The time at which it began to wait.'),
  digest: z.string().describe('Names what is asked. The verdict gives it back as `seen`.'),
  shown: z
    .string()
    .describe(
      'The question as a person is to see it: every argument, long values cut with their size, and characters that hide or turn text written as escapes.',
    ),
  tool: part(ToolShown)
    .describe('Absent where the tool is not known here, such as one of a server that is not connected.')
    .exactOptional(),
};

export const ApprovalInfo = message('Approval', openObject(APPROVAL));
export type ApprovalInfo = ValueOf<typeof ApprovalInfo>;

/** Decided, in a run that no process works on: it takes the verdict first when it goes on. */
export const UntakenInfo = message('UntakenApproval', openObject({ ...APPROVAL, verdict: VERDICT }));
export type UntakenInfo = ValueOf<typeof UntakenInfo>;

export const DecidedInfo = message(
  'DecidedApproval',
  declaredKeys<
    DecidedApproval & { readonly run: string; readonly agent: string } & Pick<RunSummary, 'state' | 'outcome'>
  >()({
    run: z.string(),
    agent: z.string(),
    state: z.string(),
    path: z.string(),
    asker: z.string(),
    prompt: z.string(),
    about: z.unknown(),
    at: z.number(),
    decidedAt: z.number(),
    verdict: VERDICT,
    call: declaredAs<NonNullable<DecidedApproval['call']>>({
      type: 'object',
      description: 'The call that was made, how it ended, and the beginning of its answer.',
    }).exactOptional(),
    outcome: z.string().describe('The outcome of the run.').exactOptional(),
  }),
);
export type DecidedInfo = ValueOf<typeof DecidedInfo>;

export const ApprovalList = message(
  'ApprovalList',
  openObject({
    waiting: arrayOf(part(ApprovalInfo)),
    untaken: arrayOf(part(UntakenInfo)),
    decided: arrayOf(part(DecidedInfo)).exactOptional(),
  }),
);
export type ApprovalList = ValueOf<typeof ApprovalList>;

export const GivenVerdict = message(
  'GivenVerdict',
  exactObject({
    approved: z.boolean(),
    note: z.string().max(10_000).describe('Why. The agent reads it if the answer is no.').exactOptional(),
    scope: z.literal('run').describe('A yes that also holds for the same question later in this run.').exactOptional(),
    answer: z.string().describe('The answer to a question of `ask_person`.').exactOptional(),
    seen: z
      .string()
      .describe(
        'The `digest` of what the person was shown. Where the op asks for something else by now, the answer is refused. Without it, the op is answered as it is recorded.',
      )
      .exactOptional(),
  }),
);
export type GivenVerdict = ValueOf<typeof GivenVerdict>;
