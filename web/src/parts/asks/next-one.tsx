// The next question that waits. It is a step of the person: nothing goes on by itself.

import type { ApprovalInfo } from '../../../../src/server/protocol.ts';
import { asksYou } from '../../../../src/views/asking/asked-words.ts';
import { approvalHref } from '../../app/addresses.ts';
import { go } from '../../app/router.ts';
import { approvals } from '../../data/approvals.ts';
import type { AskedAt } from '../../data/asked.ts';
import { Button } from '../controls.tsx';
import { Icon } from '../icon.tsx';

export interface NextStep {
  readonly next: ApprovalInfo;
  /** All others that wait, the next one among them. */
  readonly others: readonly ApprovalInfo[];
  readonly href: string;
  go(): void;
}

/** The question whose heading gets the focus as soon as it is drawn, because a person went to it. */
let wanted: string | undefined;

const keyOf = (at: AskedAt | undefined): string => `${at?.run} ${at?.path}`;

export function goTo(next: AskedAt, show: () => void = () => go(approvalHref(next))): void {
  wanted = keyOf(next);
  show();
}

/** True once, if a person went to it just now. */
export function wasGoneTo(at: AskedAt): boolean {
  if (wanted !== keyOf(at)) return false;
  wanted = undefined;
  return true;
}

/** After this one, the oldest first and around. Those of the same run are shown in its place, where `show` can do that. */
export function nextAfter(at: AskedAt | undefined, show?: (next: ApprovalInfo) => void): NextStep | undefined {
  const all = approvals.value;
  const others = all.filter((one) => keyOf(one) !== keyOf(at));
  const own = show === undefined ? [] : others.filter(({ run }) => run === at?.run);
  const place = all.findIndex((one) => keyOf(one) === keyOf(at));
  const next = own[0] ?? all.slice(place + 1).find((one) => others.includes(one)) ?? others[0];
  if (next === undefined) return undefined;
  const isShownHere = show !== undefined && next.run === at?.run;
  return {
    next,
    others,
    href: approvalHref(next),
    go: () => goTo(next, isShownHere ? () => show(next) : undefined),
  };
}

/** `1 other run waits`: a link, first in the order of the focus. */
export const OtherWaiting = ({ step, run }: { readonly step: NextStep | undefined; readonly run: string }) => {
  if (step === undefined) return null;
  const count = step.others.length;
  const noun = step.others.some((one) => one.run === run) ? '' : count === 1 ? ' run' : ' runs';
  return (
    <a
      class="link under small-text"
      href={step.href}
      onClick={(event) => {
        event.preventDefault();
        step.go();
      }}
    >
      {count} other{noun} {count === 1 ? 'waits' : 'wait'}
    </a>
  );
};

/** `isFirst`: no question is shown yet. */
export const NextOne = ({ step, isFirst }: { readonly step: NextStep; readonly isFirst?: boolean }) => {
  const count = step.others.length;
  return (
    <div class="asks-next line gaps-12 small-text wraps ruled-above">
      <span class="soft">
        <strong>{isFirst === true ? 'the oldest' : `${count} ${count === 1 ? 'other waits' : 'others wait'}`}:</strong>{' '}
        <bdi>{asksYou(step.next.asker, step.next)}</bdi>
      </span>
      <span class="grow" />
      <Button keys="j" onPress={step.go}>
        Next
        <Icon name="routed" />
      </Button>
    </div>
  );
};
