// Shows the end of an op that has no result: plainly where somebody cancelled it, else as a failure.

import type { Fault, OutcomeKind } from '../../../../../src/kernel/fault.ts';
import { faultWords } from '../../../../../src/views/fault-words.ts';
import { Section } from '../../../parts/panel.tsx';
import { TextBlock } from '../../../parts/text-block.tsx';

export const FaultSection = ({ fault, ending = 'failed' }: { readonly fault: Fault; readonly ending?: OutcomeKind }) =>
  fault.code === 'cancelled' ? (
    <Section title="Cancelled">
      <TextBlock text={fault.message} />
    </Section>
  ) : (
    <Section title={ending.charAt(0).toUpperCase() + ending.slice(1)} aside={<code>{fault.code}</code>}>
      <TextBlock text={faultWords(fault)} tone="bad" />
    </Section>
  );
