// A question in the list of approvals: it waits, or it was decided.

import type { ComponentChildren } from 'preact';
import type { ApprovalInfo } from '../../../../src/server/protocol.ts';
import { askedDetail, toolAskedAbout } from '../../../../src/views/asking/asked-words.ts';
import { approvalHref } from '../../app/addresses.ts';
import { cadre } from '../../data/cadre.ts';
import { askedAgent } from '../../parts/agent-names.ts';
import { Icon } from '../../parts/icon.tsx';
import { lookOf, type StateName } from '../../parts/state.tsx';

interface Props {
  readonly of: Pick<ApprovalInfo, 'run' | 'path' | 'about' | 'asker' | 'agent'>;
  readonly isShown: boolean;
  readonly state: StateName;
  /** Words beside the tool. */
  readonly aside?: string;
  readonly time: ComponentChildren;
  readonly children?: ComponentChildren;
}

export const ApprovalRow = ({ of, isShown, state, aside, time, children }: Props) => {
  const { family, icon } = lookOf(state);
  const asked = askedAgent(cadre()?.agents ?? [], of);
  return (
    <a
      class={`approvals-one stack gaps-2 inset choosable small-text ruled s-${family}`}
      href={approvalHref(of)}
      aria-current={isShown ? 'true' : undefined}
    >
      <span class="line gaps nowrap tinted">
        <Icon name={icon} />
        <strong class="nowrap">
          <bdi>{toolAskedAbout(of.about) ?? 'a question'}</bdi>
        </strong>
        <span class="soft cut">{aside}</span>
        <span class="grow" />
        {time}
      </span>
      <span dir="auto">
        {of.asker}
        {asked !== undefined && `, for ${asked}`}
      </span>
      <code class="cut" dir="auto">
        {askedDetail(of.about)}
      </code>
      {children}
    </a>
  );
};
