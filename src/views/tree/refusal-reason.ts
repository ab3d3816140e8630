// The reason of a refusal as a person reads it, from the text that the model got.

import { jsonValue } from '../../base/text/json.ts';
import { mostCallsIn } from '../../kernel/session/notices.ts';

/** `made` is how many calls the reply made. */
export function reasonIn(text: string, made: number): string {
  const most = mostCallsIn(text);
  if (most !== undefined) return `The reply made ${made} calls, and maxToolCallsPerTurn allows ${most}.`;
  return fieldIn(text) ?? text;
}

/** Some tools answer in JSON. */
function fieldIn(text: string): string | undefined {
  if (!text.startsWith('{')) return undefined;
  const answer = jsonValue(text.split('\n', 1)[0] ?? '');
  const { error, content } = (answer ?? {}) as Readonly<Record<string, unknown>>;
  return typeof error === 'string' ? error : typeof content === 'string' ? content : undefined;
}
