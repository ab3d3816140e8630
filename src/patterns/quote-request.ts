// The request to an agent, as its session hears it. A request that patterns composed has their headings and is quoted
// within. One that stands alone is quoted here, so that no line of it looks like a later text of a pattern.

import type { RunInput } from '../kernel/effect.ts';
import type { Wrap } from './pattern.ts';
import { baseOf, quotedRequest } from './sections.ts';

/** JSON that stands alone stays JSON: the session hears of its files beside it. */
const textOf = (request: RunInput): string => (request.data === undefined ? baseOf(request) : quotedRequest(request));

/**
 * The body that a chain hands on is not quoted if its session hears nothing else: that is, outside of a team and if no
 * pattern wraps it, such as one by which it spawns.
 */
export const quoteRequest =
  (isWrapped: boolean): Wrap =>
  (inner) =>
  (input) => {
    const { request, conversation, trigger, seat } = input;
    const isPutTogether = request.sections !== undefined || conversation.goOn !== undefined;
    const isBody = trigger.chainTrigger !== undefined && seat === undefined && !isWrapped;
    if (isPutTogether || isBody) return inner(input);
    const text = textOf(request);
    return text === request.text ? inner(input) : inner({ ...input, request: { ...request, text } });
  };
