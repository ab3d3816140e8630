// The Anthropic head: messages. An agent is a model.

import type { OutputContract } from '../../../kernel/schema.ts';
import type { Head } from '../../context.ts';
import { type ForcedTool, forcedTool, usableSchema } from '../answer-contract.ts';
import type { AnsweredRuns } from '../answered-runs.ts';
import { invalid, isFields, shortValue } from '../fields.ts';
import { answerRoute } from '../head-routes.ts';
import { problemIn } from '../http-answer.ts';
import { anthropicError } from './anthropic-error.ts';
import { messageEvents, wholeMessage } from './message-object.ts';
import { saidIn } from './messages.ts';
import { MessagesRequest } from './parameters.ts';

export const anthropicHead = (answered: AnsweredRuns): Head => ({
  name: 'anthropic',
  paths: ['/v1/messages'],
  routes: [
    answerRoute(
      {
        path: '/v1/messages',
        name: 'createMessage',
        summary: "An answer of an agent, as Anthropic's message.",
        body: MessagesRequest,
        whole: 'The message.',
        protocol: 'Anthropic',
        said: ({ messages, system }) => saidIn(messages, system),
        forced: forcedUse,
        format: contractIn,
        words: (_, tool) => ({
          whole: (of, text, totals) => wholeMessage(of, text, totals, tool),
          frames: (of) => messageEvents(of, tool),
          error: anthropicError,
        }),
      },
      answered,
    ),
  ],
  problem: problemIn(anthropicError),
});

/** The tool that a message must use, if the client offers it alone and forces it. */
function forcedUse({ tools, tool_choice: choice }: MessagesRequest): ForcedTool | undefined {
  const [first, ...others] = tools ?? [];
  const isOwn = first?.input_schema !== undefined && others.length === 0;
  const only = first && isOwn ? { name: first.name, schema: first.input_schema } : undefined;
  return forcedTool({ only, count: tools?.length ?? 0, forced: forcedIn(choice) });
}

function forcedIn(choice: unknown): string | undefined {
  if (choice === undefined || choice === null) return undefined;
  const { type, name } = isFields(choice) ? choice : {};
  if (type === 'auto' || type === 'none') return undefined;
  if (type === 'any') return 'any';
  return type === 'tool' && typeof name === 'string'
    ? name
    : invalid('tool_choice', `is ${shortValue(choice)}, which is not known.`);
}

/** `output_config.format`, or `output_format`, its earlier name. Undefined: the agent's own format. */
function contractIn({ output_config: config, output_format: earlier }: MessagesRequest): OutputContract | undefined {
  const format = config?.format === undefined ? earlier : config.format;
  if (format === undefined || format === null) return undefined;
  return { format: 'json', schema: usableSchema(format.schema, 'output_config.format.schema') };
}
