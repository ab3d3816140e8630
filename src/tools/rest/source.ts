// The tool source `rest:<name>`: one HTTP endpoint as one tool.

import { countedNoun, durationText } from '../../base/text/words.ts';
import { errorResult, type ToolResult } from '../../kernel/message.ts';
import { redactedExcerpt } from '../cut.ts';
import type { Tool, ToolContext, ToolSource } from '../tool.ts';
import type { RestDeclaration } from './declaration.ts';
import { type Answer, send } from './send.ts';
import { fill, type RestTemplate, readTemplate } from './template.ts';

const usualTimeoutMs = 30_000;
const usualMaxBytes = 1024 * 1024;
const shownOfError = 2000;

/** Throws a `tool/source` fault for a declaration that cannot work. */
export function restSource(declaration: RestDeclaration): ToolSource {
  const template = readTemplate(declaration);
  const tool: Tool = {
    spec: {
      name: declaration.name,
      description: declaration.description,
      parameters: declaration.parameters,
    },
    repeat: declaration.method === 'GET' ? 'safe' : 'never',
    execute: (input, context) => call(declaration, template, input, context),
  };
  return {
    name: `rest:${declaration.name}`,
    tools: async () => [tool],
    async close() {},
  };
}

async function call(
  declaration: RestDeclaration,
  template: RestTemplate,
  input: unknown,
  context: ToolContext,
): Promise<ToolResult> {
  const timeoutMs = declaration.timeoutMs ?? usualTimeoutMs;
  const deadline = AbortSignal.timeout(timeoutMs);
  const answer = await send(fill(template, input, context.callKey), {
    signal: AbortSignal.any([context.signal, deadline]),
    maxBytes: declaration.maxBytes ?? usualMaxBytes,
    allowPrivate: declaration.allowPrivate ?? false,
    redactor: context.redactor,
  }).catch((thrown: unknown) => {
    if (deadline.aborted && !context.signal.aborted) return 'late' as const;
    throw thrown;
  });
  if (answer === 'late') return errorResult(`${declaration.name} did not answer within ${durationText(timeoutMs)}.`);
  return resultOf(declaration.name, answer);
}

function resultOf(name: string, answer: Answer): ToolResult {
  const { status, reason, text } = answer;
  if (status < 200 || status > 299) {
    const shown = redactedExcerpt(text, 0, shownOfError);
    const cut = shown.length < text.length ? `\n[the first ${shownOfError} of ${text.length} characters]` : '';
    return errorResult(`${name} answered ${status} ${reason}`.trim() + (shown === '' ? '.' : `:\n${shown}${cut}`));
  }
  const cut =
    answer.cutAt === undefined
      ? ''
      : `\n\n[The answer is longer: it was cut after ${countedNoun(answer.cutAt, 'byte')}.]`;
  return { status: 'ok', text: text === '' && cut === '' ? `${status} ${reason}, without content.` : text + cut };
}
