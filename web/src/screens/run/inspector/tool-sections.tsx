// A tool call: its arguments, its result, and the model call that asked for it.

import type { CallResult } from '../../../../../src/kernel/approval.ts';
import { bytes } from '../../../../../src/views/amounts.ts';
import type { OpFacts } from '../../../../../src/views/tree/op-facts.ts';
import type { OpNode } from '../../../../../src/views/tree/op-tree.ts';
import { keptText, wholeText } from '../../../data/whole-text.ts';
import { Section } from '../../../parts/panel.tsx';
import { TextBlock } from '../../../parts/text-block.tsx';
import type { RunView } from '../run-view.ts';
import { AskedWith } from './asked-with.tsx';
import { FaultSection } from './fault-section.tsx';
import { OpLink } from './op-link.tsx';

/** A command that judges an answer has a verdict. */
const statusOf = ({ status, judged }: CallResult): string =>
  judged === undefined ? status : `${judged.good ? 'good' : 'not good'}, ${judged.end}`;

interface Props {
  readonly view: RunView;
  readonly facts: OpFacts;
}

export const ToolSections = ({ view, facts }: Props & { readonly node: OpNode }) => {
  if (facts.op?.kind !== 'tool') return null;
  const { call, source } = facts.op;
  const turn = view.why.value.provenance.turnOf(facts.path);
  const by = turn !== undefined && (
    <>
      by <OpLink view={view} path={turn} />
    </>
  );
  return (
    <>
      <Section title="Arguments" aside={by}>
        <AskedWith call={call} />
        {source !== undefined && <p class="faint tiny-text">from {source}</p>}
      </Section>
      {facts.result?.ok === true && <Result of={facts.result.value as CallResult} view={view} facts={facts} />}
      {facts.result?.ok === false && <FaultSection fault={facts.result.fault} />}
    </>
  );
};

const Result = ({ of, view, facts }: Props & { readonly of: CallResult }) => {
  const { text, status, handle, bytes: all } = of;
  return (
    <Section title="Result" aside={all === undefined ? statusOf(of) : `${statusOf(of)}, ${bytes(all)} in all`}>
      <TextBlock
        text={text}
        as="code"
        tone={status === 'error' ? 'bad' : 'usual'}
        whole={
          handle === undefined || all === undefined
            ? wholeText(view.data, facts.lastSeq, '/result/value/text')
            : keptText(view.data, handle, all)
        }
      />
      {handle !== undefined && (
        <p class="faint tiny-text">
          The model saw a part. The whole is kept under the handle <code>{handle.slice(0, 12)}…</code>
        </p>
      )}
    </Section>
  );
};
