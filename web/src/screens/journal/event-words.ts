// The words of an event, on one line: those of the command line. Pure.

import type { RunEvent } from '../../../../src/journal/event.ts';
import { opWords } from '../../../../src/journal/op-words.ts';
import type { Verdict } from '../../../../src/kernel/effect.ts';
import { verdictText } from '../../../../src/kernel/verdict-words.ts';
import { duration } from '../../../../src/views/amounts.ts';
import { controlWords } from '../../../../src/views/control-words.ts';
import { yourNames } from '../../data/you.ts';

export function eventWords(event: RunEvent): string {
  switch (event.type) {
    case 'run-start':
      return `the run of ${event.agent} begins`;
    case 'op-start':
    case 'op':
      return opWords(event);
    case 'op-end':
      return endWords(event);
    case 'attempt': {
      const { number, fault, then } = event;
      const next =
        then.kind === 'retry'
          ? `again after ${duration(then.delayMs)}`
          : then.kind === 'failover'
            ? `then ${then.to}`
            : 'gave up';
      return `attempt ${number}: ${fault.code}, ${next}`;
    }
    case 'intent':
      return `intends to ${event.change.kind} ${event.change.path}`;
    case 'undo':
      return event.state === 'done' ? 'its changes were taken back' : 'its changes are being taken back';
    case 'fact':
      return `fact ${event.key}`;
    case 'control':
      return `${oneLine(controlWords(event.message, yourNames()))}${event.refused === undefined ? '' : `, refused: ${event.refused}`}`;
    case 'run-resume':
      return 'a process resumed the run';
    case 'run-end':
      return `the run ends: ${event.outcome.kind}`;
  }
}

function endWords({ kind, result }: Extract<RunEvent, { type: 'op-end' }>): string {
  if (!result.ok) return `failed: ${result.fault.code}`;
  const value = result.value as { readonly [key: string]: unknown } | null | undefined;
  if (kind === 'model') {
    const { text = '', calls = [] } = (value?.['message'] ?? {}) as {
      readonly text?: string;
      readonly calls?: readonly { readonly name: string }[];
    };
    return `replied: ${text === '' ? calls.map(({ name }) => name).join(', ') : oneLine(text)}`;
  }
  if (kind === 'run' || kind === 'say') return `ends: ${wordIn(value?.['kind'])}`;
  if (kind === 'tool') return `result: ${wordIn(value?.['status'])}`;
  if (kind === 'approval') return oneLine(verdictText(result.value as Verdict, yourNames()));
  return 'done';
}

const wordIn = (value: unknown): string => (typeof value === 'string' ? value : '');

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').slice(0, 200);

/** The meaning of an event's type, for somebody who reads a journal for the first time. */
export const TYPE_WORDS: Readonly<Record<RunEvent['type'], string>> = {
  'run-start': 'The run begins: its agent, its input, and the digests of all agent texts that it is built from.',
  'op-start': 'An op begins: written before anything leaves the process.',
  'op-end': 'An op is over, with its result. On a resume it is answered from here, and not done again.',
  op: 'An op of no duration: its result is known as soon as it is asked for.',
  attempt: 'A model call that failed and was tried again. Its cost, if any, counts.',
  intent: 'A change of a file, as it was before and as it will be: written before it is made.',
  undo: 'The changes of the run are taken back, after its end.',
  fact: 'Something that the run found around it and relies on: a replay uses it as it was.',
  control: 'A message of a person or another process to the run.',
  'run-resume': 'Another process goes on with the run.',
  'run-end': 'The run is over, with its outcome.',
};

export const KINDS = ['all', 'ops', 'attempts', 'facts'] as const;
export type EventChoice = (typeof KINDS)[number];

export const isOfKind = ({ type }: RunEvent, choice: EventChoice): boolean => {
  switch (choice) {
    case 'all':
      return true;
    case 'ops':
      return type === 'op-start' || type === 'op-end' || type === 'op';
    case 'attempts':
      return type === 'attempt';
    case 'facts':
      return type === 'fact';
  }
};

export const opOf = (event: RunEvent): string | undefined => ('path' in event ? event.path : undefined);
