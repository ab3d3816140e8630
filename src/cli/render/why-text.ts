// The reason why a run answered as it did, as a person reads it: the answer first, then each step that led to the one
// above it.

import { passedOverWords } from '../../views/passed-over.ts';
import type { Why, WhyPart, WhyStep } from '../../views/talk/why.ts';
import type { Paint } from '../screen/terminal.ts';
import { cutToWidth, oneLine, wrap } from './width.ts';

interface WhyTextOptions {
  readonly paint: Paint;
  readonly columns?: number;
}

/** Lines of a text that are shown of each step. */
const MOST = 6;
const USUAL = 100;

export function whyText({ steps, agent, request }: Why, options: WhyTextOptions): readonly string[] {
  const { paint } = options;
  return [
    ...steps.flatMap((step) => stepText(step, options)),
    `${paint('faint', '○')} ${paint('name', 'you')} asked ${agent}`,
    ...body(request, '  ', options),
  ];
}

function stepText(step: WhyStep, options: WhyTextOptions): readonly string[] {
  const { paint } = options;
  const mark = step.does === 'answers' ? paint('good', '●') : paint('faint', '○');
  const head = `${mark} ${paint('name', oneLine(step.agent))} ${doesWords(step)}  ${paint('faint', step.op)}`;
  return [
    head,
    ...body(step.text, '│ ', options),
    ...(step.passedOver === undefined ? [] : body(passedOverWords(step.passedOver), '│   ', options)),
    ...(step.given ?? []).flatMap((words) =>
      wrap(`given: ${oneLine(words)}`, (options.columns ?? USUAL) - 4).map((line) => `│   ${line}`),
    ),
    ...step.beside.flatMap((part) => partText(part, options)),
    paint('faint', '│'),
  ];
}

function doesWords({ does, to = '', turn }: WhyStep): string {
  switch (does) {
    case 'answers':
      return 'answers';
    case 'routes':
      return `routes to ${oneLine(to)}`;
    case 'hands on':
      return `hands on to ${oneLine(to)}`;
    case 'asks':
      return `asks ${oneLine(to)}`;
    case 'decides':
      return `decides, turn ${turn}`;
  }
}

function partText(part: WhyPart, options: WhyTextOptions): readonly string[] {
  const { paint, columns = USUAL } = options;
  const about = part.about === undefined ? '' : ` ${part.about}`;
  const head = `│   ${HOW[part.how]} ${part.how === 'sent-back' ? '' : oneLine(part.name + about)}`.trimEnd();
  return [
    `${cutToWidth(head, columns - part.op.length - 2)}  ${paint('faint', part.op)}`,
    ...body(part.text, '│     ', options),
  ];
}

const HOW: Readonly<Record<WhyPart['how'], string>> = {
  request: 'asked',
  asked: 'asked by',
  after: 'after',
  advised: 'advised by',
  result: 'told by',
  'sent-back': 'sent back once:',
  refused: 'refused:',
  denied: 'denied:',
  broadcast: 'heard',
  announcement: 'told by',
  message: 'a message:',
};

function body(text: string, before: string, { paint, columns = USUAL }: WhyTextOptions): readonly string[] {
  const lines = wrap(text, columns - before.length).filter((line) => line.trim() !== '');
  const shown = lines.slice(0, MOST).map((line) => `${paint('faint', before)}${line}`);
  return lines.length > MOST ? [...shown, `${paint('faint', `${before}… ${lines.length - MOST} more lines`)}`] : shown;
}
