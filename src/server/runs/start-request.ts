// From what a client asks to a run that has started: the agent, its input, the conversation that it continues.

import { labelOf } from '../../engine/label.ts';
import { agentIn, inputFor } from '../../engine/request.ts';
import { fail } from '../../kernel/fault.ts';
import type { OutputContract } from '../../kernel/schema.ts';
import { inputSchemaProblems } from '../../tools/json-schema.ts';
import { type Caller, requireAgent } from '../auth/caller.ts';
import type { ServerContext } from '../context.ts';
import type { StartedRun, StartRun } from '../protocol.ts';

/** Throws `agent/unknown`, `input/invalid`, `request/forbidden`, `server/busy`. */
export async function startFor(
  asked: StartRun,
  caller: Caller,
  context: ServerContext,
  key?: string,
): Promise<StartedRun> {
  const agent = context.cadres.agent(asked.agent);
  requireAgent(caller, agent.name);
  const { output, stopAfter, history } = asked;
  if (output !== undefined) refuseInvalid(output);
  const input = inputFor(agent.agent, asked.input);
  const request = {
    input: history === undefined || history.length === 0 ? input : { ...input, history },
    ...(output && { contract: output }),
    ...(stopAfter !== undefined && { stopAfter: agentIn(agent.host.definition, stopAfter).name }),
    ...labelOf(asked),
  };
  void key;
  return context.runs.start(agent, request);
}

function refuseInvalid({ format, schema }: OutputContract): void {
  if (schema === undefined) return;
  if (format !== 'json') fail('request/invalid', 'output.schema goes with the format json.');
  const violations = inputSchemaProblems(schema);
  if (violations.length > 0) {
    fail('request/invalid', 'output.schema is not a valid JSON Schema.', {
      violations: violations.map((one) => ({ ...one, path: `$.output.schema${one.path.slice(1)}` })),
    });
  }
}
