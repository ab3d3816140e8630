// cadre tools: every tool that an agent would have, from which source, whether it changes anything, and who says yes to it.

import type { AgentDefinition, CadreDefinition } from '../../../definition/definition.ts';
import { loadCadres } from '../../../definition/load.ts';
import { type AgentOffer, type OfferedTool, offeredTools } from '../../../engine/inspect/offered-tools.ts';
import { EXIT } from '../../../kernel/fault.ts';
import { findAgent } from '../../lookup/find-agent.ts';
import { withSignIns } from '../../lookup/sign-ins.ts';
import { table } from '../../render/table.ts';
import { notify, print, printJson } from '../../screen/output.ts';
import { columnsOf } from '../../screen/terminal.ts';

export interface ToolsOptions {
  readonly dir?: string;
  /** Start MCP servers and load functions. */
  readonly connect?: boolean;
  readonly json?: boolean;
}

/** The time that all servers together may take to start and to list their tools. */
const DEADLINE_MS = 60_000;

export async function tools(asked: string | undefined, options: ToolsOptions): Promise<number> {
  const connect = options.connect === true;
  const look = { connect, signal: AbortSignal.timeout(DEADLINE_MS) };
  const offers: AgentOffer[] = [];
  for (const { prefix, cadre, agents } of await meant(asked, options)) {
    const offered = await (connect
      ? withSignIns(cadre, (signIns) => offeredTools(cadre, agents, { ...look, signIns }))
      : offeredTools(cadre, agents, look));
    for (const offer of offered) {
      offers.push({ ...offer, agent: prefix + offer.agent });
    }
  }
  if (options.json === true) printJson(JSON.stringify({ agents: offers }, null, 2));
  else print(offerTable(offers, asked === undefined).join('\n'));
  for (const line of unseenLines(offers, connect)) notify(line);
  return offers.some(({ unseen }) => unseen.some(({ isFault }) => isFault)) ? EXIT.failed : EXIT.answered;
}

async function meant(
  asked: string | undefined,
  { dir }: ToolsOptions,
): Promise<
  readonly {
    readonly prefix: string;
    readonly cadre: CadreDefinition;
    readonly agents: readonly AgentDefinition[];
  }[]
> {
  if (asked !== undefined) {
    const { cadre, agent } = await findAgent(asked, dir);
    return [{ prefix: '', cadre, agents: [agent] }];
  }
  const cadres = await loadCadres(dir ?? '.');
  return cadres.map(({ prefix, cadre }) => ({ prefix, cadre, agents: [...cadre.agents.values()] }));
}

function offerTable(offers: readonly AgentOffer[], isMany: boolean): readonly string[] {
  const rows = offers.flatMap(({ agent, tools: offered, skills = [] }) => [
    ...offered.map((tool) => [
      ...(isMany ? [agent] : []),
      tool.name,
      tool.source,
      tool.readOnly === undefined ? '' : tool.readOnly ? 'yes' : 'no',
      approvalText(tool),
      firstLine(tool.description),
    ]),
    ...skills.map(({ name, folder, description }) => [
      ...(isMany ? [agent] : []),
      `skill ${name}`,
      folder,
      'yes',
      'free',
      firstLine(description),
    ]),
  ]);
  const columns = [
    ...(isMany ? [{ title: 'AGENT' }] : []),
    { title: 'TOOL' },
    { title: 'FROM' },
    { title: 'READ-ONLY' },
    { title: 'APPROVAL' },
    { title: 'WHAT IT DOES', flexible: true as const },
  ];
  return table(columns, rows, columnsOf(process.stdout));
}

function approvalText({ approval, rules = {} }: OfferedTool): string {
  const { deny = [], approve = [], trust = [] } = rules;
  const some = (entries: readonly string[]): readonly string[] => entries.filter((entry) => entry.endsWith(')'));
  const asks = some(approve).length === 0 ? approval : `${approval}, asks for ${some(approve).join(', ')}`;
  if (approval === 'denied') return approval;
  const but = some(trust).length === 0 ? asks : `${asks}, but for ${some(trust).join(', ')}`;
  return some(deny).length === 0 ? but : `${but}, never ${some(deny).join(', ')}`;
}

const firstLine = (text: string): string => text.split('\n', 1)[0]?.slice(0, 200) ?? '';

/** The sources that were not looked at, the same one of several agents once. */
function unseenLines(offers: readonly AgentOffer[], connect: boolean): readonly string[] {
  const lines = new Set(
    offers.flatMap(({ agent, unseen }) =>
      unseen.map(({ entry, why, isFault }) =>
        isFault ? `${agent}: ${entry}: ${why}` : `not looked at: ${entry}: ${why}`,
      ),
    ),
  );
  const waiting = !connect && offers.some(({ unseen }) => unseen.length > 0);
  return [...lines, ...(waiting ? ['--connect starts the servers and loads the functions.'] : [])];
}
