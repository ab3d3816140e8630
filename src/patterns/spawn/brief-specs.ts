// The specs of the tools of `spawn` as models read them: every request carries them, so they say what a model needs and
// leave limits to the schemas that calls are held to (full-specs.ts).

import type { ToolSpec } from '../../kernel/message.ts';
import { FULL_SPECS, SESSIONS_SPAWN } from './full-specs.ts';
import type { SpawnConfig } from './key.ts';

const TEXT = { type: 'string' };
const TEXTS = { type: 'array', items: TEXT };
const NUMBER = { type: 'number' };

const about = (description: string, schema: object): object => ({ ...schema, description });

export function briefSpawnSpec({ agents }: SpawnConfig): ToolSpec {
  const properties = {
    task: about('A list, with parallel: true, starts one run for each.', { anyOf: [TEXT, TEXTS] }),
    parallel: { type: 'boolean' },
    label: about('Its name; those of a list are <label>-1, <label>-2 …', TEXT),
    agent: about('Without it: a fresh session of you.', { type: 'string', enum: [...agents] }),
    chainAfter: about('Starts only after these runs: ids or labels.', TEXTS),
    dependsOn: about('Joined with chainAfter.', TEXTS),
    includeDependencyResult: about('Puts their results before the task.', { type: 'boolean' }),
    onDependencyFailure: about('If one of them fails: skip this run (abort, the default), or start it.', {
      enum: ['abort', 'continue'],
    }),
    dependencyTimeoutSeconds: about('Default: 1800.', NUMBER),
    sharedContext: about('JSON that the run and its own runs can read. "$label": "reference" is the result of a run.', {
      type: 'object',
    }),
    concurrent: about('How many of a list work at a time.', { type: 'integer' }),
    runTimeoutSeconds: NUMBER,
  };
  return {
    name: SESSIONS_SPAWN,
    description:
      'Start work in the background. Answers at once with a run id; the result reaches you as a message when the run has ' +
      'ended. A chain is declared in one go: later runs name earlier ones in chainAfter.',
    parameters: { type: 'object', properties, required: ['task'] },
  };
}

const MANY = { runIds: TEXTS, labels: TEXTS, groupId: TEXT };
const ONE = { runId: TEXT, label: TEXT };

const specOf = (
  { name }: ToolSpec,
  description: string,
  properties: object,
  required: readonly string[] = [],
): ToolSpec => ({
  name,
  description,
  parameters: { type: 'object', properties, ...(required.length > 0 && { required: [...required] }) },
});

const { status, wait, result, list, cancel, send } = FULL_SPECS;

/** The companions of sessions_spawn. */
export const BRIEF_SPECS: Readonly<Record<keyof typeof FULL_SPECS, ToolSpec>> = {
  status: specOf(status, 'Where runs stand that you spawned: these, or all.', MANY),
  wait: specOf(wait, 'Wait until runs that you spawned have ended: these, or all.', {
    ...MANY,
    mode: about('all (the default), any, or a number of them.', {
      anyOf: [{ enum: ['all', 'any'] }, { type: 'integer' }],
    }),
    timeoutSeconds: NUMBER,
  }),
  result: specOf(result, 'The whole result of a run that has ended, at any time.', ONE),
  list: specOf(list, 'All runs below you, as a tree.', {}),
  cancel: specOf(cancel, 'End runs and all that they spawned. Answers when they have ended.', {
    ...MANY,
    reason: TEXT,
  }),
  send: specOf(send, 'Send a message to a run below you. It gets it before its next turn.', { ...ONE, message: TEXT }, [
    'message',
  ]),
};
