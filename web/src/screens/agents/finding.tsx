// A finding of the check beside an agent, and both sides of a hand-over that does not fit.

import type { Diagnostic } from '../../../../src/server/protocol.ts';
import { Section } from '../../parts/panel.tsx';
import { SchemaTable } from '../../parts/schema-table.tsx';

export const Finding = ({ of: one }: { readonly of: Diagnostic }) => (
  <Section title={`${one.file}:${one.line}:${one.column}`} aside={one.code}>
    <p>{one.message}</p>
    <p class="faint">{one.help}</p>
    {one.compared !== undefined && <BothSides of={one.compared} />}
  </Section>
);

export const BothSides = ({ of: { given, taken } }: { readonly of: NonNullable<Diagnostic['compared']> }) => (
  <SchemaTable
    of={[
      { title: `${given.agent} gives`, schema: given.schema },
      { title: `${taken.agent} takes`, schema: taken.schema },
    ]}
  />
);
