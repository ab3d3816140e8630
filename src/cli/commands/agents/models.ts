// cadre models: what each agent would use, whether that is ready, and which model servers run on this machine.

import { type CadreReading, loadCadre, readCadres } from '../../../definition/load.ts';
import { type ModelUse, modelUses } from '../../../engine/inspect/model-uses.ts';
import { EXIT } from '../../../kernel/fault.ts';
import type { LocalServer } from '../../../models/local.ts';
import { table } from '../../render/table.ts';
import { notify, print, printJson } from '../../screen/output.ts';
import { columnsOf } from '../../screen/terminal.ts';

/** An empty folder is not an error: what this machine offers is still shown. An unreadable folder is one, and so is no model to reach. */
export async function models(folder: string, options: { readonly json?: boolean }): Promise<number> {
  const cadres = await readCadres(folder);
  if (cadres.some(({ reading }) => reading.unreadable)) await loadCadre(folder); // says why
  const ready = cadres.flatMap(({ prefix, reading: { cadre } }) => (cadre === undefined ? [] : [{ prefix, cadre }]));
  const { uses, servers } = await modelUses(ready);
  if (options.json === true) printJson(JSON.stringify({ agents: uses, local: servers }, null, 2));
  else print([...useLines(uses), ...serverLines(servers)].join('\n'));
  const unchecked = cadres.filter(({ reading }) => reading.cadre === undefined);
  for (const { target, reading } of unchecked) notify(withoutModels(target, reading));
  if (unchecked.some(({ reading }) => reading.agents > 0)) return EXIT.failed;
  const isAnyReachable = servers.length > 0 || uses.some((use) => use.ready);
  return isAnyReachable ? EXIT.answered : EXIT.failed;
}

const withoutModels = (target: string, { agents }: CadreReading): string =>
  agents === 0
    ? `${target} holds no agent. "cadre init" writes a first one.`
    : `${target} does not pass its check, so its models are not shown. See: cadre check ${target}`;

function useLines(uses: readonly ModelUse[]): readonly string[] {
  if (uses.length === 0) return [];
  const rows = uses.map(({ agent, model, standsFor, state }) => [
    agent,
    model,
    standsFor === model ? '' : standsFor,
    state,
  ]);
  const lines = table(
    [{ title: 'AGENT' }, { title: 'MODEL' }, { title: 'STANDS FOR' }, { title: 'STATE', flexible: true }],
    rows,
    columnsOf(process.stdout),
  );
  return [...lines, ''];
}

function serverLines(servers: readonly LocalServer[]): readonly string[] {
  if (servers.length === 0) return ['No model server answers on this machine (Ollama, llama.cpp, LM Studio, vLLM).'];
  return servers.flatMap(({ name, baseUrl, models: offered }) => [
    `${name} answers at ${baseUrl}: ${offered.join(', ') || 'no models'}`,
    `  cadre.yaml: providers: { local: { kind: openai-compatible, baseUrl: "${baseUrl}" } }`,
  ]);
}
