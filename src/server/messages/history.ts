// The messages about the record of a run.

import { z } from 'zod';
import type { Graph } from '../../definition/show/graph.ts';
import type { RunEvent } from '../../journal/event.ts';
import type { ForkPreview } from '../../views/fork-preview.ts';
import type { RunDiff } from '../../views/report/diff.ts';
import { PinnedAgent } from './cadre.ts';
import { OP_PARAM } from './fields.ts';
import type { ValueOf } from './message.ts';
import { arrayOf, declaredAs, declaredKeys, exactObject, mapOf, message, openObject, part } from './schema.ts';

export const RunAgents = message(
  'RunAgents',
  openObject({
    agents: arrayOf(part(PinnedAgent)),
    graph: declaredAs<Graph>().describe("The edges between agents, by the names that the run's own events use."),
    prices: mapOf(
      openObject({
        input: z.number(),
        output: z.number(),
        cacheRead: z.number().exactOptional(),
        cacheWrite: z.number().exactOptional(),
      }),
    ).describe('The dollars for a million tokens, by `provider/model`. Models whose price is not known are left out.'),
  }),
);
export type RunAgents = ValueOf<typeof RunAgents>;

export const PreviewShown = message(
  'ForkPreview',
  declaredKeys<ForkPreview>()({
    at: z.string(),
    events: z.int().describe("Events taken over, the new run's start counted."),
    again: arrayOf(openObject({ path: z.string(), words: z.string() })).describe(
      'Calls that were under way elsewhere at that moment, and would be made again.',
    ),
  }),
);

const MODEL_LIST = arrayOf(z.string().min(1), 1, 20);

export const ForkRun = message(
  'ForkRun',
  exactObject({
    at: OP_PARAM.describe('The first op that is done again.'),
    prompts: mapOf(z.string().max(1_048_576))
      .describe('Another system prompt, by agent, for this fork alone. No file changes.')
      .exactOptional(),
    models: z
      .union([MODEL_LIST, mapOf(MODEL_LIST)])
      .describe("In place of every agent's own models, or by agent; `*` stands for every agent that is not named.")
      .exactOptional(),
    budget: exactObject({
      usd: z.number().positive().exactOptional(),
      tokens: z.int().positive().exactOptional(),
      time: z.string().describe('A duration: `10m`.').exactOptional(),
      sessions: z.int().positive().exactOptional(),
      depth: z.int().nonnegative().exactOptional(),
      allowUnpriced: z.boolean().exactOptional(),
    })
      .describe('In place of the budget of the agent that was asked.')
      .exactOptional(),
    agents: z
      .enum(['pinned', 'today'])
      .describe('Uses the texts that the run began with (the default), or the files of today.')
      .exactOptional(),
  }),
);
export type ForkRun = ValueOf<typeof ForkRun>;

export const ForkedRun = message(
  'ForkedRun',
  openObject({ run: z.string(), events: z.int().describe('Events taken over.') }),
);
export type ForkedRun = ValueOf<typeof ForkedRun>;

export const ReplayRun = message('ReplayRun', exactObject({ pinned: z.boolean().exactOptional() }));

export const ReplayResult = message(
  'Replay',
  openObject({
    kind: z.enum(['identical', 'different']),
    events: z.int(),
    ended: z.boolean().describe('True if the record holds an end.'),
    difference: openObject({
      path: z.string().exactOptional(),
      message: z.string(),
      recorded: z.unknown().exactOptional(),
      now: z.unknown().exactOptional(),
    }).exactOptional(),
    changed: arrayOf(z.string()).describe('Files that have changed since.'),
    texts: z.enum(['today', 'pinned']),
  }),
);
export type ReplayResult = ValueOf<typeof ReplayResult>;

export const PromptShown = message(
  'Prompt',
  openObject({
    agent: z.string(),
    session: z.string(),
    op: z.string(),
    tokens: z.int().describe('Estimated, as all tokens here.'),
    parts: arrayOf(
      openObject({
        source: z
          .string()
          .describe(
            '`own text`, `charter`, `shared context`, `project file <path>`, `skills`, `skill <name>`, `tools`.',
          ),
        tokens: z.int(),
        bytes: z.int(),
        text: z.string(),
      }),
    ),
    tools: arrayOf(openObject({ name: z.string(), tokens: z.int() })),
  }),
);
export type PromptShown = ValueOf<typeof PromptShown>;

export const DiffShown = message('RunDiff', declaredAs<RunDiff>());

export const ChangeList = message(
  'ChangeList',
  openObject({
    files: arrayOf(
      openObject({
        path: z.string(),
        from: z.string().describe('The path before it was moved.').exactOptional(),
        ops: arrayOf(z.string()),
        agents: arrayOf(z.string()),
        diff: z.string().describe('A unified diff, from which secrets were taken out.'),
      }),
    ),
    isUndone: z.boolean().describe('All of it was taken back.'),
  }),
);
export type ChangeList = ValueOf<typeof ChangeList>;

export const UndoRun = message('UndoRun', exactObject({ dryRun: z.boolean().exactOptional() }));

export const UndoneRun = message(
  'UndoneRun',
  openObject({
    run: z.string(),
    state: z.enum(['undone', 'would-undo', 'already-undone', 'nothing']),
    files: arrayOf(openObject({ path: z.string(), done: z.string() })),
  }),
);
export type UndoneRun = ValueOf<typeof UndoneRun>;

export const SaveTest = message(
  'SaveTest',
  exactObject({
    name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,80}$/),
    expect: exactObject({
      answer: exactObject({
        equals: z.unknown().exactOptional(),
        contains: arrayOf(z.string().min(1), 1, 100).exactOptional(),
        json: mapOf(z.unknown()).describe('Values by their JSON paths, as `$.order.total`.').exactOptional(),
      }).exactOptional(),
      judge: exactObject({ agent: z.string().min(1), rubric: z.string().min(1) }).exactOptional(),
    })
      .describe('The expectation of the answer, in place of the one that is made of the run. `{}`: none.')
      .exactOptional(),
  }),
);
export type SaveTest = ValueOf<typeof SaveTest>;

export const SavedTestFile = message(
  'SavedTest',
  openObject({ file: z.string(), recording: z.string(), answers: z.int() }),
);
export type SavedTestFile = ValueOf<typeof SavedTestFile>;

export const EventShown = message('RunEvent', declaredAs<RunEvent>());
