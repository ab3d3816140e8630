// The result of a map: its items in the order of the list, each with its end. It is JSON, and sections of a text for an agent
// that takes no JSON.

import { fault } from '../../kernel/fault.ts';
import { brokenOutcome, isAnswered, isBroken, type Outcome } from '../../kernel/outcome.ts';
import type { JsonSchema } from '../../kernel/schema.ts';
import { agentResult } from '../agents/agent-tool.ts';
import type { ShownAnswer } from '../chain-step.ts';
import { embedSchema } from '../embed-schema.ts';
import { ROOMY, readWith, shortenText } from '../fence.ts';
import { quoteText } from '../quote-text.ts';
import { itemResult } from '../sections.ts';

/** The item of a list, and the end of its run. */
export interface EndedItem {
  readonly item: unknown;
  readonly outcome: Outcome;
}

/** An item whose turn did not come. */
export const NOT_BEGUN: Outcome = brokenOutcome(fault('cancelled', 'It was not begun.'));

export const resultOf = (ended: readonly EndedItem[]) => ({
  items: ended.map(({ item, outcome }) => {
    if (isBroken(outcome)) return { item, outcome: outcome.kind, error: outcome.fault.message };
    if (!isAnswered(outcome)) return { item, outcome: outcome.kind };
    return { item, outcome: outcome.kind, answer: outcome.data === undefined ? outcome.text : outcome.data };
  }),
});

/** The schema of that, for lists of these items and workers with this answer. */
export function resultSchema(item: JsonSchema, answer: JsonSchema, maxItems: number | undefined): JsonSchema {
  const place = '/properties/items/items/properties';
  const one = {
    type: 'object',
    properties: {
      item: embedSchema(item, `${place}/item`),
      outcome: { enum: ['answered', 'exhausted', 'over-budget', 'timed-out', 'cancelled', 'failed'] },
      answer: embedSchema(answer, `${place}/answer`),
      error: { type: 'string' },
    },
    required: ['item', 'outcome'],
    additionalProperties: false,
  };
  return {
    type: 'object',
    properties: { items: { type: 'array', items: one, ...(maxItems !== undefined && { maxItems }) } },
    required: ['items'],
    additionalProperties: false,
  };
}

/** The result for an agent that takes no JSON. */
export function resultSections(ended: readonly EndedItem[]): ShownAnswer {
  const shown = ended.map(({ outcome }) => shownItem(outcome));
  const sections = shown.map(({ text }, index) =>
    itemResult(index, ended.length, { item: itemLine(ended[index]?.item), body: text }),
  );
  const shares = ended.map(({ outcome }, index) => {
    const { handle } = shown[index] ?? {};
    return handle === undefined || !isAnswered(outcome) ? null : { handle, length: outcome.text.length };
  });
  return { sections, handles: shown.flatMap(({ handle }) => handle ?? []), shares };
}

/** The answer, quoted; or the word for its end, and the error. The handle, if the answer is long. */
function shownItem(outcome: Outcome): { readonly text: string; readonly handle?: string } {
  if (!isAnswered(outcome)) return agentResult(outcome);
  const { text, handle } = outcome;
  if (handle === undefined) return { text: quoteText(text) };
  return { text: quoteText(shortenText(text, ROOMY, readWith(handle))), handle };
}

const LONGEST = 80;

/** An item as a text: a text as it is, anything else as JSON. */
export const itemText = (item: unknown): string =>
  typeof item === 'string' && item.trim() !== '' ? item : JSON.stringify(item);

/** The item in one line of 80 characters. */
export function itemLine(item: unknown): string {
  const line = itemText(item)
    .slice(0, 20 * LONGEST)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
