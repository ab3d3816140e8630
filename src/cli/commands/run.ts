// cadre run: checks the cadre and the input, then starts the run and follows it to its end.

import { readFileSync } from 'node:fs';
import { parseJson } from '../../base/text/json.ts';
import type { AgentDefinition, CadreDefinition } from '../../definition/definition.ts';
import type { RunRequest } from '../../engine/contract.ts';
import { openEngine } from '../../engine/open.ts';
import { readAll } from '../../engine/pinned.ts';
import { handOver } from '../../engine/remote/hand-over.ts';
import { labelOf } from '../../engine/request.ts';
import type { RunId } from '../../journal/event.ts';
import type { RunStore } from '../../journal/store.ts';
import type { RunInput } from '../../kernel/effect.ts';
import { EXIT, fail } from '../../kernel/fault.ts';
import type { Format, JsonSchema, OutputContract } from '../../kernel/schema.ts';
import { inputSchemaProblems } from '../../tools/json-schema.ts';
import { plural } from '../../views/amounts.ts';
import { followOpened } from '../follow.ts';
import { findAgent } from '../lookup/find-agent.ts';
import { inputOf, readGivenText } from '../lookup/read-input.ts';
import { openStore, type StoreOptions, type StorePlace, storeOfCadre } from '../lookup/store-place.ts';
import { workspaceFrom } from '../lookup/workspace.ts';
import { openRun, type RunViewOptions } from '../open-run.ts';
import { approvedBeforehand } from '../person/approved-beforehand.ts';
import { notify, print, printJson } from '../screen/output.ts';

export interface RunCommandOptions extends RunViewOptions, StoreOptions {
  readonly dir?: string;
  readonly output?: string;
  readonly schema?: string;
  readonly stopAfter?: string;
  readonly label?: string;
  /** Files that go with the input: texts, pictures, documents. */
  readonly file?: readonly string[];
  /** Runs it in the background. */
  readonly detach?: boolean;
  /** The file of a test that is made of the run. */
  readonly saveTest?: string;
}

export async function run(asked: string, input: string | undefined, options: RunCommandOptions): Promise<number> {
  const { cadre, agent } = await findAgent(asked, options.dir, workspaceFrom(options), 'run');
  approvedBeforehand(options.approve, cadre); // before we ask for an input that --approve took for a tool
  const contract = contractOf(options);
  const place = storeOfCadre(options, cadre);
  const begun = options.file === undefined ? undefined : await openStore(place, notify);
  const request = {
    agent: agent.name,
    input: await inputFrom(agent, { asked, input, ...(options.file && { files: options.file }) }, begun),
    ...(contract && { contract }),
    ...(options.stopAfter !== undefined && { stopAfter: options.stopAfter }),
    ...labelOf(options),
  };
  if (options.saveTest !== undefined && options.detach === true)
    fail(
      'usage',
      '--save-test needs the end of the run: leave --detach out, or use cadre show <run> --save-test later.',
    );
  if (options.saveTest !== undefined)
    (await import('../../agent-tests/save-test.ts')).recordingBeside(options.saveTest);
  if (options.detach === true) return detached(cadre, request, place, options);
  const store = begun ?? (await openStore(place, (text) => opened.view.notice(text)));
  const opened = await openRun(cadre, { store, dir: place.dir }, options);
  try {
    const run = await opened.engine.start(request);
    const exit = await followOpened(run, opened, { ...options, agent: agent.name, flag: place.flag });
    if (options.saveTest !== undefined) await saveAsTest(run, store, cadre, options.saveTest);
    return exit;
  } finally {
    opened.view.finish();
    await opened.engine.close();
  }
}

async function saveAsTest(run: RunId, store: RunStore, cadre: CadreDefinition, file: string): Promise<void> {
  const { saveTest } = await import('../../agent-tests/save-test.ts');
  const { recording, answers } = await saveTest(await readAll(run, store), { cadre, store }, file);
  notify(
    `${file} tests that it goes like this again, with ${plural(answers, 'answer')} in ${recording}: cadre test ${file}`,
  );
}

/** With files, the input may be missing: the files say it all, and nobody waits for a pipe. */
async function inputFrom(
  agent: AgentDefinition,
  {
    asked,
    input,
    files,
  }: { readonly asked: string; readonly input: string | undefined; readonly files?: readonly string[] },
  store: RunStore | undefined,
): Promise<RunInput> {
  if (files === undefined || store === undefined) return inputOf(agent, await readGivenText(input), asked);
  const { inputOfFiles } = await import('../lookup/input-files.ts');
  return inputOfFiles(agent, input === undefined ? undefined : await readGivenText(input), files, store);
}

async function detached(
  cadre: CadreDefinition,
  request: RunRequest,
  place: StorePlace,
  { json, approve, ...options }: RunCommandOptions,
): Promise<number> {
  if (approve !== undefined)
    fail('usage', '--approve is for a run in this terminal. A detached run waits for: cadre approve');
  const workspace = workspaceFrom(options);
  const store = await openStore(place, notify);
  const engine = await openEngine(cadre, { store, dir: place.dir, workspace, warn: notify });
  try {
    const begin = handOver({ store, dir: place.dir, engine });
    const run = await begin(request);
    if (json === true) printJson(JSON.stringify({ run, label: request.label ?? null }));
    else print(run);
    notify(`follow it with: cadre show ${run} --follow${place.flag}`);
    if ((await store.fleet?.workers())?.length === 0)
      notify(`No worker takes runs of ${place.shown} now. Start one with: cadre worker <folder>${place.flag}`);
    return EXIT.answered;
  } finally {
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
    schema = parseJson(readFileSync(file, 'utf8'));
  } catch (thrown) {
    fail('usage', `--schema ${file}: ${(thrown as Error).message}`);
  }
  if (typeof schema !== 'boolean' && (typeof schema !== 'object' || schema === null || Array.isArray(schema))) {
    fail('usage', `--schema ${file} does not hold a JSON Schema, which is an object.`);
  }
  const problems = inputSchemaProblems(schema as JsonSchema);
  if (problems.length === 0) return schema as JsonSchema;
  return fail(
    'usage',
    `--schema ${file} is not a valid JSON Schema:\n${problems.map((one) => `- ${one.path} ${one.message}`).join('\n')}`,
  );
}
