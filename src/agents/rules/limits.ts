// Rules about the cadre's limits (SPEC 3.8): nothing that an agent sets is above a cap, and agents do not nest deeper
// than allowed.

import { nestingOf } from '../nesting.ts';
import { type Checkup, forEachAgent, placeIn, type Rule } from './checkup.ts';
import type { LinkedAgent } from '../define.ts';

export const capsAreKept = forEachAgent((agent, checkup) => {
  const { fields } = agent;
  const { maxTurns, maxDepth } = checkup.config.config.limits;
  const subagent = typeof fields.subagent === 'object' ? fields.subagent : {};
  const spawn = typeof fields.spawn === 'object' ? fields.spawn : {};
  const caps: readonly (readonly [readonly string[], number | undefined, string, number])[] = [
    [['maxTurns'], fields.maxTurns, 'maxTurns', maxTurns],
    [['team', 'memberMaxTurns'], fields.team?.memberMaxTurns, 'maxTurns', maxTurns],
    [['team', 'supervisorMaxTurns'], fields.team?.supervisorMaxTurns, 'maxTurns', maxTurns],
    [['subagent', 'maxIterations'], subagent.maxIterations, 'maxTurns', maxTurns],
    [['subagent', 'maxDepth'], subagent.maxDepth, 'maxDepth', maxDepth],
    [['spawn', 'maxDepth'], spawn.maxDepth, 'maxDepth', maxDepth],
  ];
  for (const [path, value, limit, cap] of caps) {
    if (value !== undefined && value > cap) reportCap(agent, path, value, limit, cap, checkup);
  }
});

function reportCap(
  agent: LinkedAgent,
  path: readonly string[],
  value: number,
  limit: string,
  cap: number,
  checkup: Checkup,
): void {
  checkup.report({
    code: 'limit/exceeded',
    ...placeIn(agent, checkup, path),
    message: `\`${path.join('.')}\` is ${value}, and limits.${limit} caps it at ${cap}`,
    help: `Write at most ${cap}, or raise limits: {${limit}: ${value}} in cadre.yaml.`,
  });
}

/** Told once for each way down that is too long, at the agent where it begins. */
export const nestingIsWithinLimits: Rule = ({ agents, config, report }) => {
  const { maxDepth } = config.config.limits;
  const nesting = nestingOf({ get: (name) => agents.get(name)?.definition }, agents.keys());
  const tooDeep = [...agents.values()].filter(({ file }) => (nesting.get(file.name)?.depth ?? 0) > maxDepth);
  const below = new Set(tooDeep.flatMap(({ links }) => links.edges.map((edge) => edge.to.name)));
  for (const { file, links } of tooDeep) {
    if (below.has(file.name)) continue;
    const { depth, way: wayDown } = nesting.get(file.name)!;
    const way = wayDown();
    const ref = links.edges.find((edge) => edge.to.name === way[1])?.ref;
    report({
      code: 'limit/depth',
      source: ref?.source ?? file.source,
      at: ref ?? file.nameAt,
      message: `agents nest ${depth} levels deep below "${file.name}", and limits.maxDepth is ${maxDepth}: ${way.join(' → ')}`,
      help: `Flatten the graph, or raise limits: {maxDepth: ${depth}} in cadre.yaml.`,
    });
  }
};
