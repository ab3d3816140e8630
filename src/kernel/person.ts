// A question to a person: the call of ask_person, and what counts as an answer to it. It waits at the same kind of op as
// an approval, so it has an address, survives a restart, and is answered from any process.

import type { AskedCall } from './approval.ts';
import { perform, type Routine, type Verdict } from './effect.ts';
import { errorResult, okResult, type ToolCall, type ToolResult, type ToolSpec } from './message.ts';
import { type FormField, fieldsOf, formAnswer, serverQuestionIn } from './server-question.ts';
import { signInIn } from './sign-in.ts';

/** The address of the tool: no function or tool of a server has it. */
export const ASK_PERSON_ADDRESS = 'person/ask_person';

const LONGEST_QUESTION = 4000;
const LONGEST_OPTION = 200;
const MOST_OPTIONS = 20;
const LONGEST_ANSWER = 100_000;

export const ASK_PERSON: ToolSpec = {
  name: 'ask_person',
  description:
    'Asks a person a question and waits for the answer. Ask for what only a person can know or decide. With `options` the ' +
    'answer is one of them; without, it is free text. A person may also decline to answer, and say why.',
  parameters: {
    type: 'object',
    properties: {
      question: {
        type: 'string',
        minLength: 1,
        maxLength: LONGEST_QUESTION,
        description: 'The question, with all that the person needs to know to answer it.',
      },
      options: {
        type: 'array',
        items: { type: 'string', minLength: 1, maxLength: LONGEST_OPTION },
        minItems: 2,
        maxItems: MOST_OPTIONS,
        uniqueItems: true,
        description: 'The possible answers. Leave it out for free text.',
      },
    },
    required: ['question'],
    additionalProperties: false,
  },
};

export interface PersonQuestion {
  readonly question: string;
  readonly options?: readonly string[];
  /** The fields of a form, if a server asks for one: the answer is JSON or, for one field, its bare value. */
  readonly fields?: readonly FormField[];
}

/** The question in what a person is asked. Undefined if it asks for a yes or no. */
export function questionIn(about: unknown): PersonQuestion | undefined {
  const { source, arguments: given } = (about ?? {}) as Partial<AskedCall>;
  if (source === ASK_PERSON_ADDRESS) return given as PersonQuestion;
  const asked = serverQuestionIn(about);
  if (asked === undefined) return undefined;
  const fields = fieldsOf(asked.form);
  const [only] = fields;
  const isChoice = fields.length === 1 && only?.type === 'one of' && only.options.length > 0;
  return { question: asked.message, fields, ...(isChoice && { options: only.options }) };
}

/** The mistake in a verdict that does not fit its question: a sentence. Undefined if it fits. */
export function answerProblem(about: unknown, { approved, answer, scope }: Verdict): string | undefined {
  const asked = questionIn(about);
  if (signInIn(about) !== undefined && scope !== undefined)
    return 'This op waits for a sign-in, so no yes can hold for the rest of the run.';
  if (asked === undefined)
    return answer === undefined ? undefined : 'This op asks for a yes or no, and an answer in words does not fit it.';
  if (scope !== undefined) return 'This op is a question, so no yes can hold for the rest of the run.';
  if (!approved) return answer === undefined ? undefined : 'A question is either declined or answered, not both.';
  if (answer === undefined || answer.trim() === '') return 'This op is a question, so it needs an answer.';
  if (answer.length > LONGEST_ANSWER) return `An answer has at most ${LONGEST_ANSWER} characters.`;
  const form = serverQuestionIn(about)?.form;
  if (form !== undefined) {
    const read = formAnswer(form, answer);
    return read.ok ? undefined : read.problem;
  }
  const { options } = asked;
  if (options === undefined || options.includes(answer)) return undefined;
  return `The answer must be one of: ${options.map((one) => JSON.stringify(one)).join(', ')}.`;
}

const SHOWN_OF_QUESTION = 120;

export function* askPerson(agent: string, call: ToolCall): Routine<ToolResult> {
  const { question } = call.arguments as PersonQuestion;
  const line = question.replace(/\s+/g, ' ').trim();
  const shown = line.length <= SHOWN_OF_QUESTION ? line : `${line.slice(0, SHOWN_OF_QUESTION)}…`;
  const about: AskedCall = { ...call, source: ASK_PERSON_ADDRESS };
  const settled = yield* perform<'approval'>({ kind: 'approval', prompt: `${agent} asks: ${shown}`, about });
  if (!settled.ok) return errorResult(`${settled.fault.code}: ${settled.fault.message}`);
  const { approved, answer, note } = settled.value;
  if (!approved) return errorResult(`The question was not answered${note ? `: ${note}` : '.'}`);
  const problem = answerProblem(about, settled.value);
  return problem === undefined ? okResult(answer ?? '') : errorResult(`The question was not answered: ${problem}`);
}
