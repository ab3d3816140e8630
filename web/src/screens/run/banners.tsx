// The news that must be known before anything else about a run: the reason why it has no answer, that it broke off,
// that it is shown as it was earlier.

import type { LimitReached } from '../../../../src/kernel/limit-reached.ts';
import type { Outcome } from '../../../../src/kernel/outcome.ts';
import { isBroken } from '../../../../src/kernel/outcome.ts';
import { plural } from '../../../../src/views/amounts.ts';
import { limitWords } from '../../../../src/views/limit-words.ts';
import type { OpNode } from '../../../../src/views/tree/op-tree.ts';
import { Button, Command } from '../../parts/controls.tsx';
import { Banner } from '../../parts/panel.tsx';
import { Moment } from '../../parts/times.tsx';
import type { Counted } from './run-facts.ts';
import { retriable, shortId } from './run-facts.ts';

export const FaultBanner = (props: {
  readonly outcome: Outcome;
  readonly agent: string;
  readonly attempts: number;
  /** The one that ended it. */
  readonly limit: LimitReached | undefined;
  readonly onShow: () => void;
}) => {
  const { outcome } = props;
  if (!isBroken(outcome)) return null;
  const who = outcome.fault.stage ?? outcome.agent ?? props.agent;
  const tried = props.attempts > 1 ? `${plural(props.attempts, 'attempt')}, ` : '';
  const again = retriable(outcome) ? 'another try may help.' : 'another try alone will not help.';
  return (
    <Banner
      state={outcome.kind}
      actions={
        <Button size="small" keys="e" onPress={props.onShow}>
          Show it
        </Button>
      }
    >
      <strong>{who}</strong> {outcome.kind}:{' '}
      <code title={outcome.fault.code}>{props.limit === undefined ? outcome.fault.code : limitWords(props.limit)}</code>{' '}
      {outcome.fault.message.slice(0, 400)}{' '}
      <span class="soft small-text wide-only">
        {tried}
        {tried === '' ? again.charAt(0).toUpperCase() + again.slice(1) : again}
      </span>
    </Banner>
  );
};

export const BrokenOffBanner = (props: {
  readonly run: string;
  readonly last: number;
  readonly doubts: readonly OpNode[];
  readonly finished: Counted;
  readonly off: string | undefined;
  readonly onResume: () => void;
}) => {
  const { doubts, finished, run } = props;
  const names = doubts
    .slice(0, 3)
    .map((node) => (node.kind === 'model' ? `turn ${node.turn} of ${node.agent}` : `${node.name} of ${node.agent}`));
  return (
    <div class="broken-off">
      <Banner
        state="broken-off"
        actions={
          <Button kind="main" size="small" keys="shift+r" off={props.off} onPress={props.onResume}>
            Resume
          </Button>
        }
      >
        <strong>Broken off</strong> after <Moment at={props.last} />
        {doubts.length > 0 &&
          `, ${plural(doubts.length, 'call')} in doubt: ${names.join(', ')}${doubts.length > 3 ? ' …' : ''}`}
      </Banner>
      <div class="broken-off-words">
        <p>
          {plural(finished.model, 'model call')} and {plural(finished.tool, 'tool call')} are finished, and are not made
          again. {whatThen(doubts)} It goes on with the texts that the run began with.
        </p>
        <Command line={`cadre resume ${shortId(run)}`} />
      </div>
    </div>
  );
};

function whatThen(doubts: readonly OpNode[]): string {
  const models = doubts.filter(({ kind }) => kind === 'model').length;
  const tools = doubts.length - models;
  const parts = [
    ...(models > 0 ? [`${plural(models, 'model call')} had begun: a model call is made again.`] : []),
    ...(tools > 0
      ? [
          `${plural(tools, 'tool call')} had begun: it is made again only if its tool may be repeated, else the model is told that its outcome is unknown.`,
        ]
      : []),
  ];
  return parts.join(' ');
}
