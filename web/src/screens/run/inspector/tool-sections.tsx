// A tool call: its arguments, its result, and the model call that asked for it.

import type { CallResult } from '../../../../../src/kernel/approval.ts';
import { bytes } from '../../../../../src/views/amounts.ts';
import type { OpFacts } from '../../../../../src/views/tree/op-facts.ts';
import type { OpNode } from '../../../../../src/views/tree/op-tree.ts';
import { keptText, wholeText } from '../../../data/whole-text.ts';
import { CallArguments } from '../../../parts/json-text.tsx';
import { Section } from '../../../parts/panel.tsx';
import { TextBlock } from '../../../parts/text-block.tsx';
import type { RunView } from '../run-view.ts';
import { FaultSection } from './fault-section.tsx';
import { OpLink } from './op-link.tsx';

/** A command that judges an answer has a verdict. */
const statusOf = ({ status, judged }: CallResult): string =>
  judged === undefined ? status : `${judged.good ? 'good' : 'not good'}, ${judged.end}`;

export const ToolSections = ({
  view,
  facts,
}: {
  readonly view: RunView;
  readonly node: OpNode;
  readonly facts: OpFacts;
}) => {
  if (facts.op?.kind !== 'tool') return null;
  const { call, source } = facts.op;
  const turn = view.why.value.provenance.turnOf(facts.path);
  const result = facts.result?.ok === true ? (facts.result.value as CallResult) : undefined;
  return (
    <>
      <Section
        title="Arguments"
        aside={
          turn === undefined ? (
            ''
          ) : (
            <>
              by <OpLink view={view} path={turn} />
            </>
          )
        }
      >
        {call.malformed === undefined ? (
          <CallArguments given={call.arguments} />
        ) : (
          <TextBlock text={call.malformed} as="arguments" tone="bad" />
        )}
        {source !== undefined && <p class="faint tiny-text">from {source}</p>}
      </Section>
      {result !== undefined && (
        <Section
          title="Result"
          aside={result.bytes === undefined ? statusOf(result) : `${statusOf(result)}, ${bytes(result.bytes)} in all`}
        >
          <TextBlock
            text={result.text}
            as="code"
            tone={result.status === 'error' ? 'bad' : 'usual'}
            whole={
              result.handle === undefined || result.bytes === undefined
                ? wholeText(view.data, facts.lastSeq, '/result/value/text')
                : keptText(view.data, result.handle, result.bytes)
            }
          />
          {result.handle !== undefined && (
            <p class="faint tiny-text">
              The model saw a part. The whole is kept under the handle <code>{result.handle.slice(0, 12)}…</code>
            </p>
          )}
        </Section>
      )}
      {facts.result?.ok === false && <FaultSection fault={facts.result.fault} />}
    </>
  );
};
