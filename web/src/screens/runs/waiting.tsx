// The oldest question that waits for a person, above everything else in the list.

import { plural } from '../../../../src/views/amounts.ts';
import { askedWords } from '../../../../src/views/asking/asked-words.ts';
import { approvalHref } from '../../app/addresses.ts';
import { approvals } from '../../data/approvals.ts';
import { cadre } from '../../data/cadre.ts';
import { askedAgent } from '../../parts/agent-names.ts';
import { LinkButton } from '../../parts/controls.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Lasting } from '../../parts/times.tsx';

export const Waiting = () => {
  const [first, ...others] = approvals.value;
  if (first === undefined) return null;
  const asked = askedAgent(cadre()?.agents ?? [], first);
  return (
    <div class="banner line gaps-12 tinted s-limit runs-waiting">
      <Icon name="person" />
      <span class="runs-wants cut">
        <strong>
          <bdi>{first.asker}</bdi>
        </strong>
        {asked !== undefined && (
          <>
            , for <bdi>{asked}</bdi>,
          </>
        )}{' '}
        asks you: <bdi>{askedWords(first)}</bdi>
      </span>
      {others.length > 0 && <span class="nowrap">and {others.length} more</span>}
      <span class="grow wide-only" />
      <span class="faint" title={plural(approvals.value.length, 'question')}>
        waits <Lasting from={first.at} to={undefined} />
      </span>
      <LinkButton href={approvalHref(first)} keys="g w">
        Look at it
      </LinkButton>
    </div>
  );
};
