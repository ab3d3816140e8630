// What the presence of one property asks of the whole object: dependentRequired, dependentSchemas, and draft-07 dependencies.
import { isObject } from './json.ts';
import { isSchema, keyword, locate, schemaMapAt, type Located, type LocatedObject } from './schema.ts';

export interface Dependency {
  readonly trigger: string;
  readonly required: readonly string[];
  readonly schemas: readonly Located[];
  /** `dependencies` in a 2020-12 schema: an annotation by the text, an assertion to many validators. */
  readonly standing: 'asserted' | 'disputed';
}

export function dependenciesOf(located: LocatedObject): readonly Dependency[] {
  const found: Dependency[] = [];
  for (const name of ['dependentRequired', 'dependencies']) {
    const map = keyword(located, name);
    const standing = name === 'dependencies' && located.resource.dialect === '2020-12' ? 'disputed' : 'asserted';
    for (const [trigger, wanted] of isObject(map) ? Object.entries(map) : []) {
      const required = Array.isArray(wanted) ? wanted.filter((item): item is string => typeof item === 'string') : [];
      found.push({ trigger, required, schemas: isSchema(wanted) ? [locate(wanted, located.resource)] : [], standing });
    }
  }
  for (const [trigger, schema] of schemaMapAt(located, 'dependentSchemas')) {
    found.push({ trigger, required: [], schemas: [schema], standing: 'asserted' });
  }
  return found;
}
