// The input of a run with the files that go with it: a text becomes a section below the input, between two lines that it
// cannot hold, so that a file cannot pass for the request. Pictures and documents stand beside it.

import { escapeUnseen } from '../../base/text/escape-unseen.ts';
import type { AgentDefinition } from '../../definition/definition.ts';
import type { RunInput } from '../../kernel/effect.ts';
import { fail } from '../../kernel/fault.ts';
import { fenceData } from '../../patterns/fence.ts';
import { inputFor } from '../request.ts';
import { type FileTaker, type GivenFile, type TextFile, takeFiles } from './take-files.ts';

/** The text of a request that consists of files alone. */
export const FILES_ALONE = 'See the files.';

/** Throws `input/invalid`. With files, a text may be empty: the files say it all. */
export async function inputWithFiles(
  agent: AgentDefinition,
  input: unknown,
  given: readonly GivenFile[] | undefined,
  taker: FileTaker,
): Promise<RunInput> {
  if (given === undefined || given.length === 0) return inputFor(agent, input);
  const { files, texts } = await takeFiles(given, taker);
  const whole = inputFor(agent, agent.input.format === 'json' ? alone(agent, input, texts) : below(input, texts));
  return files.length === 0 ? whole : { ...whole, files };
}

/** JSON has no place for a text. */
function alone({ name }: AgentDefinition, input: unknown, [text]: readonly TextFile[]): unknown {
  if (text === undefined) return input;
  return fail(
    'input/invalid',
    `${name} takes JSON, and "${escapeUnseen(text.name)}" is a text. Put it into the input.`,
  );
}

function below(input: unknown, texts: readonly TextFile[]): unknown {
  const isEmpty = input === undefined || (typeof input === 'string' && input.trim() === '');
  if (!isEmpty && typeof input !== 'string') return input;
  if (texts.length === 0) return isEmpty ? FILES_ALONE : input;
  return withTexts(isEmpty ? '' : input, texts);
}

export function withTexts(text: string, texts: readonly TextFile[]): string {
  const sections = texts.map(({ name, text: held }) =>
    fenceData(held.replace(/^\uFEFF/, '').replace(/\r?\n$/, ''), `file ${escapeUnseen(name).replaceAll(/\s+/g, ' ')}`),
  );
  return [...(text === '' ? [] : [text]), ...sections].join('\n\n');
}
