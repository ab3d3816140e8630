// The fixed texts in which one agent's words reach another.

import type { RunInput } from '../kernel/effect.ts';

const ORIGINAL = '## ORIGINAL USER REQUEST';

export const section = (heading: string, body: string): string => `${heading}\n\n${body}`;

export const routedBy = (agent: string, message: string): string =>
  section(`## MESSAGE FROM AGENT \`${agent}\` WHO ROUTED THIS REQUEST TO YOU`, message);

export const answerFrom = (agent: string, answer: string): string =>
  section(`## ANSWER FROM AGENT \`${agent}\``, answer);

export const analysisGathered = (reports: readonly { readonly advisor: string; readonly text: string }[]): string =>
  section(
    '## ANALYSIS GATHERED',
    reports.map(({ advisor, text }) => section(`### From ${advisor}`, text)).join('\n\n'),
  );

export const clarificationRequest = (callPath: string, question: string): string =>
  section(`## CLARIFICATION REQUEST FROM ${callPath}`, question);

/** The request itself, without what was added to it on the way. */
export const baseOf = (request: RunInput): string => request.base ?? request.text;

export const originOf = (request: RunInput): string => request.origin ?? baseOf(request);

/**
 * A request with sections below it. It keeps its parts beside its text: whoever adds a section adds to the list and
 * has the text made anew, so that the original request stands once, however many hops there were.
 */
export function composed(base: string, sections: readonly string[]): Pick<Required<RunInput>, Parts> {
  return { text: [section(ORIGINAL, base), ...sections].join('\n\n'), base, sections };
}

type Parts = 'text' | 'base' | 'sections';

/** The same request, in its parts, for another agent that works on it. */
export function sameRequest(request: RunInput): RunInput {
  const { text, base, sections, data } = request;
  return {
    text,
    ...(base !== undefined && { base }),
    ...(sections !== undefined && { sections }),
    origin: originOf(request),
    ...(data !== undefined && { data }),
  };
}
