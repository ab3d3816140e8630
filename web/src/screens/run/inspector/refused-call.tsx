// A call that was not made: why, what was asked for, and the reply that asked.

import type { ModelReply } from '../../../../../src/kernel/effect.ts';
import { lastIndex, parentPath } from '../../../../../src/kernel/path.ts';
import type { OpNode } from '../../../../../src/views/tree/op-tree.ts';
import { Button } from '../../../parts/controls.tsx';
import { PanelHead, Section } from '../../../parts/panel.tsx';
import { StateWord } from '../../../parts/state.tsx';
import { TextBlock } from '../../../parts/text-block.tsx';
import type { RunView } from '../run-view.ts';
import { AskedWith } from './asked-with.tsx';
import { OpLink } from './op-link.tsx';

interface Props {
  readonly view: RunView;
  readonly node: OpNode;
  readonly onClose: () => void;
}

export const RefusedCall = ({ view, node, onClose }: Props) => {
  const reply = parentPath(node.path) ?? '';
  const result = view.facts.value.at(reply)?.result;
  const calls = result?.ok === true ? (result.value as ModelReply).message.calls : [];
  const call = calls[lastIndex(node.path)];
  return (
    <>
      <PanelHead title={`Tool call ${node.name}`} aside={<StateWord state="not-made" />}>
        <Button size="small" onPress={onClose}>
          Close
        </Button>
      </PanelHead>
      <div class="panel-body" tabIndex={0}>
        <Section
          title="Refused"
          aside={
            <>
              by <OpLink view={view} path={reply} />
            </>
          }
        >
          <TextBlock text={node.why ?? ''} tone="bad" />
        </Section>
        {call !== undefined && (
          <Section title="Arguments" aside="">
            <AskedWith call={call} />
          </Section>
        )}
      </div>
    </>
  );
};
