// The JSON Schema test suite (draft 7) against everything here that reads a schema. `npm run conformance` fetches it; where it is
// not installed these tests are skipped.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { judged, type SuiteCase } from '../../scripts/conformance/expected.mjs';
import { oversizeProblem } from '../../src/base/schema/limits.ts';
import { linearPattern } from '../../src/base/schema/linear-pattern.ts';
import { constantFits, fit } from '../../src/definition/fit.ts';
import type { JsonSchema } from '../../src/kernel/schema.ts';
import { inputSchemaProblems, isUsableSchema, schemaCheck } from '../../src/tools/json-schema.ts';

interface Group {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[];
}

const folder = join(process.env['JSON_SCHEMA_SUITE'] ?? '/usr/share/json-schema-test-suite', 'tests/draft7');
const groups = existsSync(folder) ? groupsIn(folder) : [];

function groupsIn(below: string): readonly Group[] {
  return readdirSync(below, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.json'))
    .toSorted()
    .flatMap((file) =>
      (JSON.parse(readFileSync(join(below, file), 'utf8')) as (Group & { readonly description: string })[]).map(
        ({ description, schema, tests }) => ({ name: `${file.replace('.json', '')}: ${description}`, schema, tests }),
      ),
    );
}

/** The suite is of draft 7, and a schema that does not say so is read as 2020-12 first. */
const draft7 = (schema: JsonSchema): JsonSchema =>
  typeof schema === 'object' ? { $schema: 'http://json-schema.org/draft-07/schema#', ...schema } : schema;

const each = (failure: (group: Group, one: Group['tests'][number]) => string | undefined): SuiteCase[] =>
  groups.flatMap((group) =>
    group.tests.map((one) => ({ name: `${group.name} / ${one.description}`, failure: failure(group, one) })),
  );

const wrongIn = (suite: string, cases: readonly SuiteCase[]): readonly string[] => judged(suite, cases).wrong;

describe.skipIf(groups.length === 0)('the JSON Schema test suite', () => {
  test('a value is valid where the suite says so', () => {
    const cases = each(({ schema }, { data, valid }) => {
      const violations = schemaCheck(draft7(schema), data);
      if ((violations.length === 0) === valid) return undefined;
      return valid ? `is refused: ${violations[0]?.message}` : 'is taken';
    });
    expect(wrongIn('json-schema-values', cases)).toEqual([]);
  });

  test('no schema of it is too large, or called wrong', () => {
    const cases = groups.map(({ name, schema }) => ({
      name,
      failure:
        oversizeProblem(schema) ??
        (isUsableSchema(draft7(schema)) ? undefined : 'cannot be used') ??
        inputSchemaProblems(draft7(schema))[0]?.message,
    }));
    expect(wrongIn('json-schema-limits', cases)).toEqual([]);
  });

  test('the comparison of schemas never says of a valid value that it does not fit', () => {
    const cases = each(({ schema }, { data, valid }) => {
      if (!valid) return undefined;
      const [constant, whole, listed] = [
        constantFits(data, schema),
        fit({ const: data }, schema),
        fit({ enum: [data] }, schema),
      ];
      const wrong = [constant, whole, listed].find(({ kind }) => kind !== 'no-finding');
      return wrong && JSON.stringify(wrong);
    });
    expect(wrongIn('json-schema-fit', cases)).toEqual([]);
  });

  test('each pattern of it matches in one pass as the suite says', () => {
    const cases = groups.flatMap(({ name, schema, tests }) => {
      const pattern = typeof schema === 'object' ? schema['pattern'] : undefined;
      if (typeof pattern !== 'string') return [];
      return tests.map(({ description, data, valid }) => ({
        name: `${name} / ${description}`,
        failure:
          typeof data !== 'string' || linearPattern(pattern, 'u').test(data, { left: 100_000 }) === valid
            ? undefined
            : 'is matched otherwise',
      }));
    });
    expect(wrongIn('json-schema-patterns', cases)).toEqual([]);
  });
});
