// The fields of schemas, in words: a row for each field, a column for each schema. The JSON itself is one press away.

import type { JsonSchema } from '../../../src/kernel/schema.ts';
import { Icon } from './icon.tsx';
import { JsonText } from './json-text.tsx';
import { schemaWords } from './schema-fields.ts';

interface Side {
  /** The owner of the schema, and its side: `refunds answers`. */
  readonly title: string;
  readonly schema: JsonSchema;
}

/** Differences between the sides are marked. */
export const SchemaTable = ({ of }: { readonly of: readonly Side[] }) => {
  const words = of.map(({ schema }) => schemaWords(schema));
  const names = [...new Set(words.flatMap((one) => [...(one?.keys() ?? [])]))];
  if (names.length === 0 || words.includes(undefined)) return <Json of={of} />;
  return (
    <>
      <table class="tab wrapped schema-table">
        <thead>
          <tr>
            <th>field</th>
            {of.map(({ title }) => (
              <th key={title}>{title}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {names.map((name) => {
            const said = words.map((one) => one?.get(name) ?? '–');
            return (
              <tr key={name}>
                <td class="mono">{name}</td>
                {said.map((one, index) => (
                  <td key={of[index]?.title}>
                    {index > 0 && one !== said[0] && (
                      <span class="s-limit" role="img" aria-label="differs">
                        <Icon name="warn" />
                      </span>
                    )}
                    {one}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
      <details class="small-text faint">
        <summary>As JSON Schema</summary>
        <Json of={of} />
      </details>
    </>
  );
};

const Json = ({ of }: { readonly of: readonly Side[] }) => (
  <div class="schema-sides">
    {of.map(({ title, schema }) => (
      <div key={title}>
        <p class="small-text faint">{title}</p>
        <JsonText value={schema} />
      </div>
    ))}
  </div>
);
