// Clarification: a child that answered and was kept open can be asked again, in the conversation it had.

import { perform, type Routine } from '../../kernel/effect.ts';
import type { FaultCode } from '../../kernel/fault.ts';
import { errorResult, type ToolResult, type ToolSpec } from '../../kernel/message.ts';
import { isAnswered, isBroken, type Outcome } from '../../kernel/outcome.ts';
import type { KernelRules } from '../../kernel/revision.ts';
import type { JsonSchema } from '../../kernel/schema.ts';
import type { LastingFacts, SessionTool } from '../../kernel/session/session-tool.ts';
import type { Child, Children } from '../children.ts';
import { jsonLine } from '../quote-text.ts';
import { resultText, sayTo } from '../run-agent.ts';
import { clarificationRequest } from '../sections.ts';

export const ASK_CLARIFICATION = 'agent__ask_clarification';
export const DISMISS = 'agent__dismiss';

/** The end of a result whose agent can be asked again. */
export const footer = (child: Child): string =>
  `---\n**Clarification**: id \`${child.id}\`, ${child.turnsLeft} turns left. ` +
  `To ask: \`${ASK_CLARIFICATION}({"id": "${child.id}", "question": "…"})\`.`;

/** The result without that end: each child has an id of its own. */
export const withoutFooter = (text: string): string => {
  const at = text.lastIndexOf('\n\n---\n**Clarification**: id `');
  return at < 0 ? text : text.slice(0, at);
};

/** The tools of a session whose children may be asked again. */
export const clarificationTools = (children: Children, { keepsTools }: KernelRules): readonly SessionTool[] =>
  children.mayStayOpen ? [askClarification(children, keepsTools), dismiss(children, keepsTools)] : [];

/** The tools are in every request, always alike. By the rules before, they listed the open children, and came with the first. */
function offeredAs(
  spec: (id: JsonSchema) => ToolSpec,
  children: Children,
  keepsTools: boolean,
): Pick<SessionTool, 'spec' | 'currentSpec'> {
  if (keepsTools) return { spec: spec(ANY_ID) };
  const listing = (): ToolSpec => spec({ type: 'string', enum: [...children.ids()] });
  return { spec: listing(), currentSpec: () => (children.ids().length === 0 ? undefined : listing()) };
}

const ANY_ID: JsonSchema = { type: 'string', description: 'The id below its answer.' };

const askSpec = (id: JsonSchema): ToolSpec => ({
  name: ASK_CLARIFICATION,
  description: 'Ask an agent that has answered you a further question. It still knows everything it said and did.',
  parameters: {
    type: 'object',
    properties: { id, question: { type: 'string', minLength: 1 } },
    required: ['id', 'question'],
    additionalProperties: false,
  },
});

export function askClarification(children: Children, keepsTools = true): SessionTool {
  return {
    ...offeredAs(askSpec, children, keepsTools),
    validatesItself: true,
    lasting: () => askable(children),
    *run(call): Routine<ToolResult> {
      const { id, question } = asked(call.arguments);
      const child = children.find(id);
      if (child === undefined) return unknownChild(id, children);
      if (question.trim() === '')
        return refusal('clarification_unknown', id, 'A question is needed: {"id", "question"}.');
      if (child.turnsLeft < 1) return refusal('clarification_no_turns', id, `${child.agent} has spent all its turns.`);
      const text = clarificationRequest(children.callPath(), question);
      const outcome = yield* sayTo({ session: child.session, text });
      child.turnsLeft = outcome.turnsLeft ?? 0;
      return isBroken(outcome) && REFUSALS.has(outcome.fault.code)
        ? refusal(outcome.fault.code, id, outcome.fault.message)
        : reply(outcome, child);
    },
  };
}

/** An earlier call of the same reply can lead to this: it spent the last turn, or it dismissed the child. */
const REFUSALS: ReadonlySet<FaultCode> = new Set(['clarification_no_turns', 'clarification_unknown']);

// Yields no effect. It is a routine, because other patterns have to ask for their lasting facts.
function* askable(children: Children): Routine<LastingFacts> {
  return { heading: 'Agents that can be asked', lines: children.ids().map((id) => `\`${id}\``) };
}

const dismissSpec = (id: JsonSchema): ToolSpec => ({
  name: DISMISS,
  description: 'End an agent that you will not ask again. Its own open agents end with it.',
  parameters: { type: 'object', properties: { id }, required: ['id'], additionalProperties: false },
});

/** Ends an open child, and all that it keeps open itself. */
export function dismiss(children: Children, keepsTools = true): SessionTool {
  return {
    ...offeredAs(dismissSpec, children, keepsTools),
    validatesItself: true,
    *run(call): Routine<ToolResult> {
      const { id } = asked(call.arguments);
      const child = children.find(id);
      if (child === undefined) return unknownChild(id, children);
      yield* perform<'close'>({ kind: 'close', session: child.session });
      children.remove(id);
      return { status: 'ok', text: `${id} has ended.` };
    },
  };
}

function asked(given: unknown): { readonly id: string; readonly question: string } {
  const fields = typeof given === 'object' && given !== null ? (given as Record<string, unknown>) : {};
  const text = (name: string): string => (typeof fields[name] === 'string' ? fields[name] : '');
  return { id: text('id'), question: text('question') };
}

function unknownChild(id: string, children: Children): ToolResult {
  const agent = id.replace(/^agent__/, '').replace(/@.*$/, '');
  const closed = children.closedAs(agent);
  if (closed !== undefined) return refusal('chat_disabled', id, `${agent} cannot be asked again: ${closed}.`);
  const known = children.ids();
  return refusal(
    'clarification_unknown',
    id,
    known.length === 0 ? 'Nobody can be asked now.' : `Known ids: ${known.join(', ')}.`,
  );
}

const refusal = (code: FaultCode, id: string, why: string): ToolResult =>
  errorResult(jsonLine({ status: code, content: why, clarificationId: id, turnsRemaining: 0 }));

function reply(outcome: Outcome, child: Child): ToolResult {
  const payload = {
    status: outcome.kind,
    content: resultText(outcome),
    clarificationId: child.id,
    turnsRemaining: child.turnsLeft,
  };
  return { status: isAnswered(outcome) ? 'ok' : 'error', text: `${jsonLine(payload)}\n\n${footer(child)}` };
}
