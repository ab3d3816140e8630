// Rules about schemas: each is a valid JSON Schema, and its format is one that uses a schema.

import { nodeAt } from '../../../base/yaml/node.ts';
import type { JsonSchema } from '../../../kernel/schema.ts';
import type { ReportFinding } from '../../diagnostic.ts';
import type { AgentFile } from '../../read/agent-file.ts';
import type { ConfigFile } from '../../read/config/config.ts';
import { forEachAgent, placeIn, type Rule } from './checkup.ts';
import { schemaProblems } from './schema-validity.ts';

export const schemasAreValid: Rule = ({ agents, config, report }) => {
  // All agents share a schema of the defaults, so it is checked once.
  const judged = new Set<JsonSchema>();
  for (const { file, fields } of agents.values()) {
    for (const key of ['input', 'output'] as const) {
      const schema = fields[key]?.schema;
      if (schema === undefined || judged.has(schema)) continue;
      judged.add(schema);
      if (file.fields[key] === fields[key]) judge(schema, [key, 'schema'], file, report);
      else judge(schema, ['defaults', key, 'schema'], config, report);
    }
  }
  for (const [name, { input }] of Object.entries(config.config.restTools))
    judge(input.schema, ['restTools', name, 'input', 'schema'], config, report);
};

/** `path` leads to the schema in an agent file or in cadre.yaml. */
function judge(
  schema: JsonSchema,
  path: readonly string[],
  { source, tree }: Pick<AgentFile | ConfigFile, 'source' | 'tree'>,
  report: ReportFinding,
): void {
  if (source === undefined || tree === undefined) return;
  for (const { pointer, message } of schemaProblems(schema)) {
    const where = [...path, ...pointer].join('.');
    report({
      code: 'schema/invalid',
      source,
      at: nodeAt(tree, [...path, ...pointer]),
      message: `\`${where}\` is not valid JSON Schema: ${message}`,
      help: 'Schemas are draft 2020-12, or draft 7 where $schema says so.',
    });
  }
}

/** A schema says what JSON looks like, so it means nothing for text. */
export const schemasStandWithJson = forEachAgent((agent, checkup) => {
  for (const key of ['input', 'output'] as const) {
    const { format, schema } = agent.definition[key];
    if (schema === undefined || format === 'json') continue;
    checkup.report({
      code: 'schema/without-json',
      ...placeIn(agent, checkup, [key, 'format']),
      message: `\`${key}\` has a schema, but its format is ${format}`,
      help: 'Write format: json, or remove the schema.',
    });
  }
});
