// Rules about the cadre's limits: nothing that an agent sets is above a cap, and agents do not nest deeper
// than allowed.

import { nestingOf } from '../../link/nesting.ts';
import { forEachAgent, placeIn, type Rule } from './checkup.ts';

/** A value that an agent sets, and the limit of the cadre that caps it. */
interface Cap {
  readonly path: readonly string[];
  readonly value: number | undefined;
  readonly limit: 'maxTurns' | 'maxDepth';
}

export const capsAreKept = forEachAgent((agent, checkup) => {
  const { fields } = agent;
  const { limits } = checkup.config.config;
  const subagent = typeof fields.subagent === 'object' ? fields.subagent : {};
  const spawn = typeof fields.spawn === 'object' ? fields.spawn : {};
  const caps: readonly Cap[] = [
    { path: ['maxTurns'], value: fields.maxTurns, limit: 'maxTurns' },
    { path: ['team', 'memberMaxTurns'], value: fields.team?.memberMaxTurns, limit: 'maxTurns' },
    { path: ['team', 'supervisorMaxTurns'], value: fields.team?.supervisorMaxTurns, limit: 'maxTurns' },
    { path: ['subagent', 'maxIterations'], value: subagent.maxIterations, limit: 'maxTurns' },
    { path: ['subagent', 'maxDepth'], value: subagent.maxDepth, limit: 'maxDepth' },
    { path: ['spawn', 'maxDepth'], value: spawn.maxDepth, limit: 'maxDepth' },
  ];
  for (const { path, value, limit } of caps) {
    const maximum = limits[limit];
    if (value === undefined || value <= maximum) continue;
    checkup.report({
      code: 'limit/exceeded',
      ...placeIn(agent, checkup, path),
      message: `\`${path.join('.')}\` is ${value}, and limits.${limit} caps it at ${maximum}`,
      help: `Write at most ${maximum}, or raise limits: {${limit}: ${value}} in cadre.yaml.`,
    });
  }
});

/** Reports each path down that is too long once, at the agent where it begins. */
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
