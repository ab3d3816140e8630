// A call that waits for a person, as a question that an MCP client shows to its user, and the user's answer as a verdict.

import type { ElicitRequestFormParams } from '@modelcontextprotocol/server';
import type { Saying } from '../../../engine/engine.ts';
import type { WaitingApproval } from '../../../views/approvals.ts';
import type { Fields } from '../fields.ts';

/** As much of the arguments as a person reads in a dialog. */
const SHOWN = 4_000;

export function questionFor({ prompt, about }: WaitingApproval): ElicitRequestFormParams {
  const { arguments: given } = about as { readonly arguments?: unknown };
  const shown = given === undefined ? '' : `\n\n${cut(JSON.stringify(given, null, 2))}`;
  return {
    message: `${prompt}${shown}`,
    requestedSchema: {
      type: 'object',
      properties: {
        approve: { type: 'boolean', title: 'Allow this call', default: false },
        note: { type: 'string', title: 'Note', description: 'The agent reads it if the answer is no.' },
      },
      required: ['approve'],
    },
  };
}

const cut = (text: string): string =>
  text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}\n[… ${text.length - SHOWN} of ${text.length} characters left out]`;

/** `response` comes from the client and may be anything. What is not a clear yes is a no. */
export function verdictFrom(op: string, response: unknown, by: string): Saying {
  const { action, content } = isFields(response) ? response : {};
  const { approve, note } = isFields(content) ? content : {};
  const approved = action === 'accept' && approve === true;
  const why = typeof note === 'string' && note !== '' ? note : approved ? undefined : noOf(action);
  return { kind: 'verdict', op, approved, by, ...(why !== undefined && { note: why }) };
}

const noOf = (action: unknown): string =>
  action === 'accept' || action === 'decline' ? 'A person said no.' : 'The person did not answer.';

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;
