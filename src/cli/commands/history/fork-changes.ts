// The changes of a fork as they are written on the command line: --prompt writer=new.md, --model writer=openai/gpt-5,
// --budget usd=0.50.

import { isUtf8 } from 'node:buffer';
import { readRegular } from '../../../base/disk/regular.ts';
import type { BudgetText } from '../../../definition/read/edit-agent.ts';
import { MAX_FILE_BYTES } from '../../../definition/read/folder.ts';
import type { ForkChanges } from '../../../engine/history/fork-changes.ts';
import { fail } from '../../../kernel/fault.ts';
import { ALL_OTHERS } from '../../../run/driven-run.ts';
import { readGivenText } from '../../lookup/read-input.ts';

export interface ForkChangeOptions {
  readonly prompt?: readonly string[];
  readonly model?: readonly string[];
  readonly budget?: readonly string[];
}

/** Throws `usage` for what is not written so, and for a file that cannot be read. */
export async function readForkChanges({ prompt, model, budget }: ForkChangeOptions): Promise<ForkChanges> {
  return {
    ...(prompt && { prompts: await promptsIn(prompt) }),
    ...(model && { models: modelsIn(model) }),
    ...(budget && { budget: budgetIn(budget) }),
  };
}

async function promptsIn(given: readonly string[]): Promise<Record<string, string>> {
  const prompts = new Map<string, string>();
  for (const one of given) {
    const { name, value } = partsOf(one);
    if (name === '' || value === '')
      fail('usage', `--prompt takes an agent and a file, as in --prompt writer=new.md, and not "${one}".`);
    if (prompts.has(name)) fail('usage', `--prompt names ${name} twice.`);
    prompts.set(name, await textOf(value, one));
  }
  return Object.fromEntries(prompts);
}

async function textOf(file: string, written: string): Promise<string> {
  if (file === '-')
    return (await readGivenText('-')) ?? fail('usage', `--prompt ${written}: nothing came through the pipe.`);
  const bytes = bytesOf(file, written);
  return isUtf8(bytes) ? bytes.toString('utf8') : fail('usage', `--prompt ${written}: ${file} is not text in UTF-8.`);
}

function bytesOf(file: string, written: string): Buffer {
  try {
    return readRegular(file, { maxBytes: MAX_FILE_BYTES });
  } catch (thrown) {
    return fail('usage', `--prompt ${written} cannot be read: ${(thrown as Error).message}`);
  }
}

/** A name of an agent has no slash, and that of a model has. */
function modelsIn(given: readonly string[]): NonNullable<ForkChanges['models']> {
  const byAgent = new Map<string, string[]>();
  for (const one of given) {
    const { name, value } = partsOf(one);
    const [agent, model] = name === '' || name.includes('/') ? [ALL_OTHERS, one] : [name, value];
    if (model === '')
      fail('usage', `--model takes a model, or an agent and a model (writer=provider/model), and not "${one}".`);
    byAgent.set(agent, [...(byAgent.get(agent) ?? []), model]);
  }
  const all = byAgent.get(ALL_OTHERS);
  return all !== undefined && byAgent.size === 1 ? all : Object.fromEntries(byAgent);
}

const LIMITS: Readonly<Record<string, 'number' | 'text' | 'flag'>> = {
  usd: 'number',
  tokens: 'number',
  time: 'text',
  sessions: 'number',
  depth: 'number',
  allowUnpriced: 'flag',
} satisfies Record<keyof BudgetText, 'number' | 'text' | 'flag'>;

function budgetIn(given: readonly string[]): BudgetText {
  return Object.fromEntries(given.flatMap((one) => one.split(',')).map(limitIn));
}

function limitIn(written: string): readonly [string, string | number | boolean] {
  const { name, value } = partsOf(written.trim());
  const kind = Object.hasOwn(LIMITS, name) ? LIMITS[name] : undefined;
  if (kind === undefined)
    return fail(
      'usage',
      `--budget takes ${Object.keys(LIMITS).join(', ')}, each with a value (usd=0.50), and not "${written}".`,
    );
  if (kind === 'text' && value !== '') return [name, value];
  if (kind === 'flag' && (value === 'true' || value === 'false')) return [name, value === 'true'];
  const number = Number(value);
  if (kind !== 'number' || value === '' || !Number.isFinite(number))
    return fail(
      'usage',
      `--budget ${name}=${value}: ${name} takes ${kind === 'number' ? 'a number' : kind === 'flag' ? 'true or false' : 'a duration such as 10m'}.`,
    );
  return [name, number];
}

/** Without a sign of equality there is no name. */
function partsOf(written: string): { readonly name: string; readonly value: string } {
  const at = written.indexOf('=');
  return at < 0 ? { name: '', value: written } : { name: written.slice(0, at), value: written.slice(at + 1) };
}
