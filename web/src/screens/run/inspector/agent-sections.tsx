// A run of an agent: what it was asked, by whom, how it ended, and what it cost alone and with all below it.

import { isBroken, type Outcome } from '../../../../../src/kernel/outcome.ts';
import { ROOT } from '../../../../../src/kernel/path.ts';
import { duration, plural, tokens, usd } from '../../../../../src/views/amounts.ts';
import type { Totals } from '../../../../../src/views/costs/totals.ts';
import type { OpFacts } from '../../../../../src/views/tree/op-facts.ts';
import type { OpNode } from '../../../../../src/views/tree/op-tree.ts';
import type { RunAgent } from '../../../data/run-agents.ts';
import { wholeText } from '../../../data/whole-text.ts';
import { JsonText } from '../../../parts/json-text.tsx';
import { Section } from '../../../parts/panel.tsx';
import { TextBlock } from '../../../parts/text-block.tsx';
import { costText, endingOf } from '../run-facts.ts';
import type { RunView } from '../run-view.ts';
import { FaultSection } from './fault-section.tsx';
import { OpLink } from './op-link.tsx';

interface Props {
  readonly view: RunView;
  readonly node: OpNode;
  readonly facts: OpFacts;
}

export const AgentSections = ({ view, node, facts }: Props) => {
  const { start } = view.facts.value;
  const input = inputOf({ view, node, facts });
  const contract = node.path === ROOT ? start?.contract : facts.op?.kind === 'run' ? facts.op.contract : undefined;
  const { provenance } = view.why.value;
  const went = provenance.went(node.path);
  return (
    <>
      <Asked view={view} node={node} facts={facts} />
      {input?.shared !== undefined && (
        <Section title="Shared context" aside={plural(Object.keys(input.shared).length, 'key')}>
          <JsonText value={input.shared} />
        </Section>
      )}
      {contract !== undefined && (
        <Section title="Must answer with">
          <JsonText value={contract} />
        </Section>
      )}
      <OutcomeSection view={view} node={node} facts={facts} />
      <Section title="What it cost">
        <TotalsLine name="own" totals={node.own} />
        <TotalsLine name="with all below" totals={node.inclusive} />
        <BudgetLine budget={view.agents.value.get(node.agent ?? '')?.budget} />
      </Section>
      {went.length > 0 && (
        <Section title="Went to">
          {went.map(({ how, op }) => (
            <p key={`${how} ${op}`} class="src">
              <OpLink view={view} path={op} />
            </p>
          ))}
        </Section>
      )}
    </>
  );
};

const inputOf = ({ view, node, facts }: Props) =>
  node.path === ROOT ? view.facts.value.start?.input : facts.op?.kind === 'run' ? facts.op.input : undefined;

const Asked = ({ view, node, facts }: Props) => {
  const input = inputOf({ view, node, facts });
  const pointer = node.path === ROOT ? '/input/text' : '/op/input/text';
  const text = input?.text ?? (facts.op?.kind === 'say' ? facts.op.text : '');
  const asked = node.path === ROOT ? undefined : askedBy(view, node.path);
  const by = asked !== undefined && (
    <>
      by <OpLink view={view} path={asked} />
    </>
  );
  return (
    <Section title="Asked" aside={by}>
      {text === '' ? (
        <p class="faint small-text">Nothing in words.</p>
      ) : (
        <TextBlock text={text} whole={wholeText(view.data, facts.firstSeq, pointer)} />
      )}
      {input?.reason !== undefined && (
        <p class="faint small-text" dir="auto">
          because: {input.reason}
        </p>
      )}
    </Section>
  );
};

/** The turn that made the run happen: what its own first turn was caused by. */
function askedBy(view: RunView, path: string): string | undefined {
  const { provenance } = view.why.value;
  const turn = provenance.turnOf(path);
  const back = turn === undefined ? [] : provenance.back(turn);
  return back.find((op) => provenance.runs.above(op)?.session !== provenance.runs.at(path)?.session);
}

const OutcomeSection = ({ view, node, facts }: Props) => {
  const { events, count } = view.data.extent.value;
  const outcome = node.path === ROOT ? endingOf(events, count)?.outcome : outcomeIn(facts);
  if (outcome === undefined) return null;
  if (isBroken(outcome)) {
    return (
      <>
        <FaultSection fault={outcome.fault} ending={outcome.kind} />
        {outcome.partial !== undefined && (
          <Section title="Partial output, not an answer">
            <TextBlock text={outcome.partial} />
          </Section>
        )}
      </>
    );
  }
  if (outcome.kind === 'routed') {
    return (
      <Section title={`Routed to ${outcome.to}`}>
        <TextBlock text={outcome.message ?? ''} />
      </Section>
    );
  }
  return (
    <Section
      title={outcome.kind === 'left' ? 'Left' : 'Answered'}
      aside={outcome.agent === undefined || outcome.agent === node.agent ? '' : `by ${outcome.agent}`}
    >
      <TextBlock text={outcome.text} as="markdown" whole={wholeText(view.data, facts.lastSeq, '/result/value/text')} />
    </Section>
  );
};

const outcomeIn = ({ result }: OpFacts): Outcome | undefined =>
  result?.ok === true ? (result.value as Outcome) : undefined;

/** The budget as its file set it when the run began. */
const BudgetLine = ({ budget }: { readonly budget: RunAgent['budget'] }) => {
  if (budget === undefined) return null;
  const parts = [
    budget.usd === undefined ? '' : usd(budget.usd),
    budget.tokens === undefined ? '' : `${tokens(budget.tokens)} tokens`,
    budget.timeMs === undefined ? '' : duration(budget.timeMs),
  ];
  const words = parts.filter((part) => part !== '').join(', ');
  return words === '' ? null : (
    <p class="cols totals-line small-text">
      <span class="faint">its budget</span>
      <span class="num strong">{words}</span>
    </p>
  );
};

const TotalsLine = ({ name, totals }: { readonly name: string; readonly totals: Totals }) => (
  <p class="cols totals-line small-text">
    <span class="faint">{name}</span>
    <span class="num">{plural(totals.calls, 'call')}</span>
    <span class="num">
      {tokens(totals.input)} in, {tokens(totals.output)} out
    </span>
    <span class="num strong">{costText(totals)}</span>
  </p>
);
