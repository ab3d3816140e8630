// A question to a person: what is asked about, the verdict, and what led to it. It is answered where the run asks, and
// nowhere else.

import { escapeUnseen } from '../../../../../src/base/text/escape-unseen.ts';
import type { Verdict } from '../../../../../src/kernel/effect.ts';
import type { OpFacts } from '../../../../../src/views/tree/op-facts.ts';
import type { OpNode } from '../../../../../src/views/tree/op-tree.ts';
import { approvalAt } from '../../../data/approvals.ts';
import { decidedBy } from '../../../parts/asks/settled.tsx';
import { Subject } from '../../../parts/asks/subject.tsx';
import { Section } from '../../../parts/panel.tsx';
import { StateWord } from '../../../parts/state.tsx';
import { WhySteps } from '../../../parts/why-steps.tsx';
import type { RunView } from '../run-view.ts';

export const PersonSections = ({
  view,
  node,
  facts,
}: {
  readonly view: RunView;
  readonly node: OpNode;
  readonly facts: OpFacts;
}) => {
  if (facts.op?.kind !== 'approval') return null;
  const run = view.facts.value.start?.run ?? view.data.run;
  const verdict = facts.result?.ok === true ? (facts.result.value as Verdict) : undefined;
  const isOpen = verdict === undefined && node.state === 'running' && view.data.shownAt.value === undefined;
  return (
    <>
      {!isOpen && (
        <Section title="Asked">
          <p dir="auto">{escapeUnseen(facts.op.prompt)}</p>
          <Subject about={(approvalAt(run, node.path) ?? facts.op).about} isOpen={false} />
        </Section>
      )}
      {verdict !== undefined && (
        <Section title="Decided" aside={decidedBy(verdict.by).trim()}>
          <StateWord state={verdict.approved ? 'ok' : 'denied'} word={verdict.approved ? 'approved' : 'denied'} />
          {verdict.note !== undefined && (
            <p class="soft" dir="auto">
              {verdict.note}
            </p>
          )}
        </Section>
      )}
      <Section title="What led here">
        <WhySteps why={view.why.value.why(node.path)} run={run} />
      </Section>
    </>
  );
};
