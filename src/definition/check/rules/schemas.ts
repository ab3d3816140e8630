// Rules about schemas: each is a valid JSON Schema, and its format is one that uses a schema.

import { nodeAt, type YamlNode } from '../../../base/yaml/node.ts';
import type { JsonSchema } from '../../../kernel/schema.ts';
import type { Finding } from '../../diagnostic.ts';
import type { Source } from '../../source.ts';
import { forEachAgent, placeIn, type Rule } from './checkup.ts';
import { schemaProblems } from './schema-validity.ts';

export const schemasAreValid: Rule = (checkup) => {
  const { config, report } = checkup;
  // All agents share a schema of the defaults, so it is checked once.
  const judged = new Set<JsonSchema>();
  for (const { file, fields } of checkup.agents.values()) {
    for (const key of ['input', 'output'] as const) {
      const schema = fields[key]?.schema;
      if (schema === undefined || judged.has(schema)) continue;
      judged.add(schema);
      const own = file.fields[key] === fields[key];
      const source = own ? file.source : config.source;
      const tree = own ? file.tree : config.tree;
      if (source === undefined || tree === undefined) continue;
      judge(schema, { source, tree, path: own ? [key, 'schema'] : ['defaults', key, 'schema'] }, report);
    }
  }
  const { source, tree } = config;
  if (source === undefined || tree === undefined) return;
  for (const [name, { input }] of Object.entries(config.config.restTools)) {
    judge(input.schema, { source, tree, path: ['restTools', name, 'input', 'schema'] }, report);
  }
};

/** The place of a schema in an agent file or in cadre.yaml. */
interface SchemaPlace {
  readonly source: Source;
  readonly tree: YamlNode;
  readonly path: readonly string[];
}

function judge(schema: JsonSchema, { source, tree, path }: SchemaPlace, report: (finding: Finding) => void): void {
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
