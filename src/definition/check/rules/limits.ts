// Rules about the cadre's limits: nothing that an agent sets is above a cap, and agents do not nest deeper
// than allowed.

import type { PatternForm } from '../../../patterns/key-form.ts';
import { depthsOf } from '../../depth.ts';
import { chosenForm, signedForm } from '../../read/keys-forms.ts';
import { forEachAgent, placeIn, type Rule } from './checkup.ts';

/** A value that an agent sets, and the limit of the cadre that caps it. */
interface Cap {
  readonly path: readonly string[];
  readonly value: number;
  readonly limit: 'maxTurns' | 'maxDepth';
}

export const capsAreKept = forEachAgent((agent, checkup) => {
  const { fields, links } = agent;
  const { limits } = checkup.config.config;
  const own: readonly Cap[] =
    fields.maxTurns === undefined ? [] : [{ path: ['maxTurns'], value: fields.maxTurns, limit: 'maxTurns' }];
  const ofPatterns = links.written.flatMap(({ pattern, value }) => capsIn(pattern.keySpec.form, value, [pattern.key]));
  for (const { path, value, limit } of [...own, ...ofPatterns]) {
    const maximum = limits[limit];
    if (value <= maximum) continue;
    checkup.report({
      code: 'limit/exceeded',
      ...placeIn(agent, checkup, path),
      message: `\`${path.join('.')}\` is ${value}, and limits.${limit} caps it at ${maximum}`,
      help: `Write at most ${maximum}, or raise limits: {${limit}: ${value}} in cadre.yaml.`,
    });
  }
});

/** The numbers in the value of a key that a limit of the cadre caps. */
function capsIn(form: PatternForm, value: unknown, path: readonly string[]): readonly Cap[] {
  if ('cap' in form && form.cap !== undefined) return [{ path, value: value as number, limit: form.cap }];
  if (form.kind === 'by-value') return capsIn(chosenForm(form, value), value, path);
  if (form.kind === 'by-key') return capsIn(signedForm(form, value), value, path);
  if (form.kind !== 'keys') return [];
  const given = value as Readonly<Record<string, unknown>>;
  return Object.entries(form.keys).flatMap(([name, key]) =>
    given[name] === undefined ? [] : capsIn(key.form, given[name], [...path, name]),
  );
}

/** Reports each path down that is too long once, at the agent where it begins. */
export const nestingIsWithinLimits: Rule = ({ agents, config, report }) => {
  const { maxDepth } = config.config.limits;
  const nesting = depthsOf({ get: (name) => agents.get(name)?.definition }, agents.keys());
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
