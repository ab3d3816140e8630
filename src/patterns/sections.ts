// The fixed texts in which one agent's words reach another. The words are quoted, so that no line of them looks like
// one of these headings.

import { present } from '../base/text/present.ts';
import type { RunInput } from '../kernel/effect.ts';
import { withFileLines } from '../kernel/file-ref.ts';
import { quoteText, unbroken } from './quote-text.ts';

const ORIGINAL = '## ORIGINAL USER REQUEST';

export const section = (heading: string, body: string): string => `${heading}\n\n${body}`;

export const routedBy = (agent: string, message: string): string =>
  section(`## MESSAGE FROM AGENT \`${agent}\` WHO ROUTED THIS REQUEST TO YOU`, quoteText(message));

export const answerFrom = (agent: string, answer: string): string =>
  section(`## ANSWER FROM AGENT \`${agent}\``, quoteText(answer));

/** `ending` stands below the text of a report, and is not quoted. */
export const analysisGathered = (
  reports: readonly { readonly advisor: string; readonly text: string; readonly ending?: string }[],
): string =>
  section(
    '## ANALYSIS GATHERED',
    reports
      .map(({ advisor, text, ending = '' }) => section(`### From ${advisor}`, `${quoteText(text)}${ending}`))
      .join('\n\n'),
  );

/** `why` is quoted or fenced already. `round` counts from 0, and the text from 1. */
export const feedback = (round: number, of: number, why: string): string =>
  section(`## FEEDBACK, ROUND ${round + 1} OF ${of}`, why);

/** `index` counts from 0, and the text from 1. */
export const numberedItem = (index: number, of: number, item: string): string =>
  section(`## ITEM ${index + 1} OF ${of}`, quoteText(item));

/** `item` is one line; `body` is quoted already. */
export const itemResult = (index: number, of: number, { item, body }: { item: string; body: string }): string =>
  section(`### ${index + 1} of ${of}: ${item}`, body);

export const lastAnswer = (answer: string): string => section('## YOUR LAST ANSWER', quoteText(answer));

export const clarificationRequest = (callPath: string, question: string): string =>
  section(`## CLARIFICATION REQUEST FROM ${callPath}`, quoteText(question));

/** The request itself, quoted, with the lines of its files, without the sections that were added to it on the way. */
export const baseOf = (request: RunInput): string =>
  request.base ?? withFileLines(quotedRequest(request), request.files);

/** The text of a request that stands alone. One composed of quoted parts keeps its own headings, and JSON stays JSON. */
export function quotedRequest({ text, data, quoted: isQuoted }: RunInput): string {
  if (isQuoted) return text;
  return data === undefined ? quoteText(text) : unbroken(text);
}

export const originOf = (request: RunInput): string => request.origin ?? baseOf(request);

/** The files of a request, for another agent that works on it. */
export const sameFiles = ({ files, originFiles }: RunInput): Pick<RunInput, 'files' | 'originFiles'> =>
  files === undefined && originFiles === undefined ? NO_FILES : present({ files, originFiles });

/** The files of the request that the run began with, for an agent that gets that request. */
export const shownFiles = (request: RunInput): Pick<RunInput, 'files'> => {
  const files = request.files ?? request.originFiles;
  return files === undefined ? NO_FILES : { files };
};

/** The same for an agent that gets something else: it is shown none of them, and may hand on the request. */
export const carriedFiles = (request: RunInput): Pick<RunInput, 'originFiles'> => {
  const { files } = shownFiles(request);
  return files === undefined ? NO_FILES : { originFiles: files };
};

const NO_FILES = {};

/**
 * A quoted request with sections below it. It keeps its parts beside its text: to add a section, add it to the list and
 * compose the text again. So the original request stands there once, however many hops there were.
 */
export function composeRequest(base: string, sections: readonly string[]): Pick<Required<RunInput>, Parts> {
  return { text: [section(ORIGINAL, base), ...sections].join('\n\n'), base, sections };
}

type Parts = 'text' | 'base' | 'sections';

/** The same request, in its parts, for another agent that works on it. */
export function sameRequest(request: RunInput): RunInput {
  const { text, quoted: isQuoted, base, sections, data, history } = request;
  return {
    text,
    ...present({ quoted: isQuoted, base, sections }),
    origin: originOf(request),
    ...present({ data, history }),
    ...sameFiles(request),
  };
}
