// The fields of schemas, in words: a row for each field, a column for each schema. The JSON itself is one press away.

import type { ComponentChildren } from 'preact';
import type { JsonSchema } from '../../../src/kernel/schema.ts';
import { FigureTable } from './figure-table.tsx';
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
      <FigureTable
        isWrapped
        columns={[{ title: 'field', as: 'code' }, ...of.map(({ title }) => ({ title }))]}
        rows={names.map((name) => {
          const [first, ...others] = words.map((one) => one?.get(name) ?? '–');
          return {
            key: name,
            cells: [
              name,
              first,
              ...others.map((one) => (one === first ? one : <Differing key={one}>{one}</Differing>)),
            ],
          };
        })}
      />
      <details class="small-text faint">
        <summary>As JSON Schema</summary>
        <Json of={of} />
      </details>
    </>
  );
};

const Differing = ({ children }: { readonly children: ComponentChildren }) => (
  <>
    <span class="s-limit" role="img" aria-label="differs">
      <Icon name="warn" />
    </span>
    {children}
  </>
);

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
