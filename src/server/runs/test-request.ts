// A request for tests, checked before anything is started: its places are below the served folder, the caller may use
// every agent that is asked, and every model has a provider.

import { realpathSync, statSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import { type FoundFile, findTests } from '../../agent-tests/find-tests.ts';
import { suiteBound } from '../../agent-tests/suite-bound.ts';
import type { TestChoice } from '../../agent-tests/test-command.ts';
import { modelProblem } from '../../definition/check/rules/models.ts';
import { agentNamed } from '../../engine/request.ts';
import { FaultError, fail } from '../../kernel/fault.ts';
import { type Caller, mayUse } from '../caller.ts';
import type { ServerContext } from '../context.ts';
import type { StartTests } from '../messages/tests.ts';
import type { TestPlan } from '../server-tests.ts';

const MOST_TRIES = 100_000;

/** Throws `request/invalid`, `request/forbidden`, `config/invalid`, `agent/unknown`, `agent/invalid`, `model/unknown`. */
export async function planTests(
  { places, models = [], alone = false, times = 1 }: StartTests,
  caller: Caller,
  context: ServerContext,
): Promise<TestPlan> {
  const root = realpathSync(context.folder);
  const paths = places.map((place, index) => pathOf(place, index, root));
  const files = await filesIn(paths, caller, context);
  requireAgents(files, caller, context);
  const choice: TestChoice = {
    places: [...new Set(paths.map((path) => relative(root, path) || '.'))],
    models: [...new Set(models)],
    live: true,
    alone,
    times,
  };
  if (files.every(({ cases }) => cases.length === 0))
    refuse('$.places', `there are no tests in ${choice.places.join(', ')}. A test file ends in .test.yaml`);
  for (const { cadre } of files)
    for (const [index, model] of models.entries()) {
      const problem = modelProblem(model, cadre.config);
      if (problem !== undefined) fail('model/unknown', `$.models[${index}]: ${problem.message}. ${problem.help}`);
    }
  const bound = suiteBound(files, choice);
  if (bound.tries > MOST_TRIES)
    refuse('$', `these are ${bound.tries} tries of cases; at most ${MOST_TRIES} are run at a time`);
  return { choice, files, bound };
}

/** Absolute. A link that leads out of the folder is refused as any path out of it is. */
function pathOf(place: string, index: number, root: string): string {
  const where = `$.places[${index}]`;
  const none = (): never =>
    refuse(where, `${JSON.stringify(place.slice(0, 80))} is no folder or test file below the folder that is served`);
  const path = resolve(root, place);
  if (place.includes('\0') || !isBelow(path, root)) return none();
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined || !isBelow(realpathSync(path), root)) return none();
  if (!stats.isDirectory() && !(stats.isFile() && path.endsWith('.test.yaml'))) return none();
  return path;
}

const isBelow = (path: string, root: string): boolean => path === root || path.startsWith(root + sep);

/** A caller that may use some agents only is not told what stands in the files of others. */
async function filesIn(
  paths: readonly string[],
  caller: Caller,
  { folder, cadres }: ServerContext,
): Promise<readonly FoundFile[]> {
  try {
    const files = await findTests(paths, realpathSync(folder));
    const stranger = files.find(({ cadre }) => cadres.ofFolder(cadre.folder) === undefined);
    if (stranger !== undefined && caller.agents === undefined)
      refuse('$.places', `the agents of ${relative(folder, stranger.path)} are not served here`);
    return files;
  } catch (thrown) {
    if (caller.agents === undefined || !(thrown instanceof FaultError)) throw thrown;
    return fail('config/invalid', 'The test files of these places have mistakes. See them with: cadre test --list');
  }
}

function requireAgents(files: readonly FoundFile[], caller: Caller, { cadres }: ServerContext): void {
  for (const { cadre, cases } of files)
    for (const { agent, expect } of cases)
      for (const asked of expect.judge === undefined ? [agent] : [agent, expect.judge.agent]) {
        if (caller.agents === undefined) continue;
        const prefix = cadres.ofFolder(cadre.folder)?.prefix;
        const name = agentNamed(cadre, asked)?.name;
        if (prefix === undefined || name === undefined || !mayUse(caller, prefix + name))
          fail('request/forbidden', `The token "${caller.name}" may not use every agent that these tests ask.`);
      }
}

function refuse(path: string, message: string): never {
  fail('request/invalid', `${path}: ${message}.`, { violations: [{ path, message }] });
}
