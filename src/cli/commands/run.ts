// cadre run: checks the cadre and the input, then starts the run and follows it to its end.

import { readFileSync } from 'node:fs';
import { fail } from '../../kernel/fault.ts';
import type { Format, JsonSchema, OutputContract } from '../../kernel/schema.ts';
import { schemaProblems } from '../../tools/json-schema.ts';
import { agentIn } from '../../engine/request.ts';
import { approvedBeforehand } from '../approved-beforehand.ts';
import { findAgent } from '../find-agent.ts';
import { follow } from '../follow.ts';
import { openRun, type RunOptions } from '../open-run.ts';
import { givenInput, inputOf } from '../read-input.ts';
import { openStore, storeOfCadre, type StoreOptions } from '../store-place.ts';

export interface RunCommandOptions extends RunOptions, StoreOptions {
  readonly dir?: string;
  readonly output?: string;
  readonly schema?: string;
  readonly stopAfter?: string;
}

export async function run(asked: string, input: string | undefined, options: RunCommandOptions): Promise<number> {
  const { cadre, agent } = await findAgent(asked, options.dir);
  approvedBeforehand(options.approve, cadre); // before an input is asked for that --approve took for a tool
  const contract = contractOf(options);
  const stopAfter = options.stopAfter && agentIn(cadre, options.stopAfter).name;
  const request = {
    agent: agent.name,
    input: inputOf(agent, await givenInput(input), asked),
    ...(contract && { contract }),
    ...(stopAfter && { stopAfter }),
  };
  const place = storeOfCadre(options, cadre.config);
  const store = openStore(place, (text) => view.notice(text));
  const { engine, view, leaving, unusedSteps } = await openRun(cadre, { store, dir: place.dir }, options);
  try {
    const handle = await engine.start(request);
    return await follow(handle, {
      agent: agent.name,
      view,
      output: options.json === true ? 'json' : 'answer',
      quiet: options.quiet === true,
      show: `cadre show ${handle.run}${place.flag}`,
      leaving,
      afterwards: unusedSteps,
    });
  } finally {
    view.finish();
    await engine.close();
  }
}

const FORMATS: readonly string[] = ['json', 'text', 'markdown'] satisfies readonly Format[];

/** The caller's contract: it binds the agent that answers. */
function contractOf({ output, schema }: RunCommandOptions): OutputContract | undefined {
  if (output === undefined && schema === undefined) return undefined;
  const format = output ?? 'json';
  if (!FORMATS.includes(format)) fail('usage', `--output takes ${FORMATS.join(', ')}, not "${format}".`);
  if (schema === undefined) return { format: format as Format };
  if (format !== 'json') fail('usage', `--schema goes with --output json, not with ${format}.`);
  return { format, schema: readSchema(schema) };
}

function readSchema(file: string): JsonSchema {
  let schema: unknown;
  try {
    schema = JSON.parse(readFileSync(file, 'utf8'));
  } catch (thrown) {
    fail('usage', `--schema ${file}: ${(thrown as Error).message}`);
  }
  if (typeof schema !== 'boolean' && (typeof schema !== 'object' || schema === null || Array.isArray(schema))) {
    fail('usage', `--schema ${file} holds no JSON Schema: that is an object.`);
  }
  const problems = schemaProblems(schema as JsonSchema);
  if (problems.length === 0) return schema as JsonSchema;
  return fail(
    'usage',
    `--schema ${file} is not a valid JSON Schema:\n${problems.map((one) => `- ${one.path} ${one.message}`).join('\n')}`,
  );
}
