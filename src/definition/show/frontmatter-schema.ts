// The JSON Schema of the frontmatter (draft 2020-12), made from the table of keys, so that editors complete and check
// agent files as Cadre does. The same for cadre.yaml.

import type { JsonObject } from '../../base/text/json.ts';
import { configShape } from '../read/config/config.ts';
import { frontmatterShape } from '../read/keys.ts';

const DRAFT = 'https://json-schema.org/draft/2020-12/schema';

export function frontmatterSchema(): JsonObject {
  const properties = frontmatterShape.schema['properties'] as Readonly<Record<string, JsonObject>>;
  return {
    $schema: DRAFT,
    title: 'Frontmatter of a Cadre agent file',
    ...frontmatterShape.schema,
    properties: { ...properties, model: { ...properties['models'], description: 'The same as models.' } },
  };
}

export function configSchema(): JsonObject {
  return { $schema: DRAFT, title: 'cadre.yaml', ...configShape.schema };
}
