// The specs of the tools of `spawn` in full, with every limit: calls are held to these schemas. Models of runs that began
// before revision 3 of the kernel read these texts, so they are never edited; models of today read shorter ones
// (brief-specs.ts).

import type { ToolSpec } from '../../kernel/message.ts';
import type { SpawnConfig } from './key.ts';

export const SESSIONS_SPAWN = 'sessions_spawn';

const SECONDS = { type: 'number', exclusiveMinimum: 0, maximum: 604_800 };
const NAMES = {
  oneOf: [
    { type: 'string', minLength: 1 },
    { type: 'array', items: { type: 'string', minLength: 1 }, minItems: 1, maxItems: 100 },
  ],
};

export function fullSpawnSpec(config: SpawnConfig): ToolSpec {
  const properties = {
    task: {
      description: 'What the run is to do. A list, with "parallel": true, starts one run for each.',
      oneOf: [
        { type: 'string', minLength: 1 },
        { type: 'array', items: { type: 'string', minLength: 1 }, minItems: 1, maxItems: 1000 },
      ],
    },
    parallel: { type: 'boolean', description: 'The list of tasks is worked on at the same time.' },
    label: { type: 'string', description: 'A name for it; the runs of a list are called <label>-1, <label>-2 …' },
    agent: {
      type: 'string',
      enum: [...config.agents],
      description: 'Who does it. Without it: a fresh session of you.',
    },
    chainAfter: { ...NAMES, description: 'Start only after these runs: ids or labels of runs you spawned.' },
    dependsOn: { ...NAMES, description: 'The same as chainAfter; both together are joined.' },
    includeDependencyResult: { type: 'boolean', description: 'Put the results of those runs before the task.' },
    onDependencyFailure: {
      type: 'string',
      enum: ['abort', 'continue'],
      description: 'When one of those runs does not answer: skip this one (abort, the default), or start it anyway.',
    },
    dependencyTimeoutSeconds: { ...SECONDS, description: 'How long it waits for those runs (1800).' },
    sharedContext: {
      type: 'object',
      description: 'JSON values that the run and all it spawns can read. "$label": "reference" is the result of a run.',
    },
    concurrent: {
      oneOf: [{ type: 'integer', minimum: 1, maximum: 1000 }, { type: 'boolean' }],
      description: 'How many runs of the list work at the same time; false for one after the other.',
    },
    runTimeoutSeconds: { ...SECONDS, description: 'How long the run itself may take once it has started.' },
  };
  return {
    name: SESSIONS_SPAWN,
    description:
      'Start work in the background. Answers at once with a run id; the result reaches you as a message when the run ' +
      'has ended. Chains can be declared in one go: later runs name earlier ones in chainAfter.',
    parameters: { type: 'object', properties, required: ['task'], additionalProperties: false },
  };
}

const TEXT = { type: 'string', minLength: 1 };
const TEXTS = { type: 'array', items: TEXT, maxItems: 1000 };
const MANY = {
  runIds: { ...TEXTS, description: 'Ids of runs below you.' },
  labels: { ...TEXTS, description: 'Labels of runs you spawned.' },
  groupId: { ...TEXT, description: 'All runs of one list.' },
};
const ONE = { runId: { ...TEXT, description: 'Its id.' }, label: { ...TEXT, description: 'Or its label.' } };

const specOf = (name: string, description: string, properties: object, required: readonly string[] = []): ToolSpec => ({
  name,
  description,
  parameters: { type: 'object', properties, required: [...required], additionalProperties: false },
});

const STATUS = specOf('sessions_status', 'Where runs stand that you spawned: these, or all.', MANY);
const WAIT = specOf('sessions_wait', 'Wait until runs that you spawned have ended: these, or all.', {
  ...MANY,
  mode: {
    oneOf: [
      { type: 'string', enum: ['all', 'any'] },
      { type: 'integer', minimum: 1 },
    ],
    description: 'How many of them: all (the default), any, or a number.',
  },
  timeoutSeconds: { type: 'number', exclusiveMinimum: 0, maximum: 604_800 },
});
const RESULT = specOf('sessions_result', 'The whole result of a run that has ended, at any time.', ONE);
const LIST = specOf('sessions_list', 'All runs below you, as a tree.', {});
const CANCEL = specOf('sessions_cancel', 'End runs and all that they spawned. Answers when they have ended.', {
  ...MANY,
  reason: { ...TEXT, description: 'Why, in one sentence.' },
});
const SEND = specOf(
  'sessions_send',
  'Send a message to a run below you. It gets it before its next turn.',
  { ...ONE, message: TEXT },
  ['message'],
);

/** The companions of sessions_spawn. */
export const FULL_SPECS = { status: STATUS, wait: WAIT, result: RESULT, list: LIST, cancel: CANCEL, send: SEND };

/** The names of the companion tools. */
export const SIBLING_RUN_TOOLS: readonly string[] = Object.values(FULL_SPECS).map(({ name }) => name);
