// The input of a run with the files that go with it: a text becomes a section below the input, between two lines that it
// cannot hold, so that a file cannot pass for the request. Pictures and documents stand beside it.

import { escapeUnseen } from '../../base/text/escape-unseen.ts';
import type { AgentDefinition } from '../../definition/definition.ts';
import type { RunInput } from '../../kernel/effect.ts';
import { fail } from '../../kernel/fault.ts';
import { fenceData } from '../../patterns/fence.ts';
import { inputFor } from '../request.ts';
import { type FileTaker, type GivenFile, type TextFile, takeFiles } from './take-files.ts';

/** Throws `input/invalid`. With files, a text may be empty: the files say it all. */
export async function inputWithFiles(
  agent: AgentDefinition,
  input: unknown,
  given: readonly GivenFile[] | undefined,
  taker: FileTaker,
): Promise<RunInput> {
  if (given === undefined || given.length === 0) return inputFor(agent, input);
  const { files, texts } = await takeFiles(given, taker);
  const whole = inputFor(agent, withTexts(agent, input, texts, files.length > 0));
  return files.length === 0 ? whole : { ...whole, files };
}

/** The text of a request that consists of files alone. */
const FILES_ALONE = 'See the files.';

function withTexts(agent: AgentDefinition, input: unknown, texts: readonly TextFile[], hasFiles: boolean): unknown {
  const isEmpty = input === undefined || (typeof input === 'string' && input.trim() === '');
  if (agent.input.format === 'json') {
    const [first] = texts;
    if (first !== undefined)
      fail(
        'input/invalid',
        `${agent.name} takes JSON, and "${escapeUnseen(first.name)}" is a text. Put it into the input.`,
      );
    return input;
  }
  if (texts.length === 0) return isEmpty && hasFiles ? FILES_ALONE : input;
  const sections = texts.map(({ name, text }) =>
    fenceData(text.replace(/^\uFEFF/, '').replace(/\r?\n$/, ''), `file ${escapeUnseen(name).replaceAll(/\s+/g, ' ')}`),
  );
  return [...(typeof input === 'string' && !isEmpty ? [input] : []), ...sections].join('\n\n');
}
