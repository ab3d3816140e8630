// The news that must be known before anything else about a run: the reason why it has no answer, that it broke off,
// that it is shown as it was earlier.

import { useCallback, useMemo } from 'preact/hooks';
import { isBroken, type Outcome } from '../../../../src/kernel/outcome.ts';
import { plural } from '../../../../src/views/amounts.ts';
import type { FaultSetting } from '../../../../src/views/fault-setting.ts';
import { faultWords } from '../../../../src/views/fault-words.ts';
import type { OpNode } from '../../../../src/views/tree/op-tree.ts';
import { select } from '../../app/router.ts';
import { offline } from '../../data/connection.ts';
import { yourNames } from '../../data/you.ts';
import { Button, Command } from '../../parts/controls.tsx';
import { Banner } from '../../parts/panel.tsx';
import type { StateName } from '../../parts/state.tsx';
import { Moment } from '../../parts/times.tsx';
import { type Counted, failingOp, finishedCalls, inDoubt, shortId } from './run-facts.ts';
import type { RunView } from './run-view.ts';

const FaultBanner = (props: {
  readonly outcome: Outcome;
  readonly agent: string;
  readonly setting: FaultSetting;
  readonly onShow: () => void;
}) => {
  const { outcome } = props;
  if (!isBroken(outcome)) return null;
  const { fault, kind } = outcome;
  const who = fault.stage ?? outcome.agent ?? props.agent;
  return (
    <Banner
      state={kind}
      quiet={kind === 'cancelled'}
      actions={
        kind === 'cancelled' ? undefined : (
          <Button size="small" keys="e" onPress={props.onShow}>
            Go to it
          </Button>
        )
      }
    >
      {kind !== 'cancelled' && kind !== 'exhausted' && <strong>{who}: </strong>}
      <span dir="auto">{faultWords(fault, props.setting).slice(0, MOST)}</span>
    </Banner>
  );
};

const MOST = 500;

const BrokenOffBanner = (props: {
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
    <div>
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
      <div class="inset fields small-text soft paper ruled">
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

/** The fault of a run that came to nothing, or that it broke off. */
export const Banners = (props: {
  readonly view: RunView;
  readonly state: StateName;
  readonly outcome: Outcome | undefined;
  readonly onResume: () => void;
}) => {
  const { view, state, outcome } = props;
  const tree = view.data.tree.value;
  const { start } = view.facts.value;
  const failing = useMemo(() => failingOp(tree), [tree]);
  const showFailing = useCallback(() => {
    if (failing !== undefined) select({ kind: 'op', path: failing.path });
  }, [failing]);
  return (
    <>
      {outcome !== undefined && isBroken(outcome) && (
        <FaultBanner
          outcome={outcome}
          agent={start?.agent ?? ''}
          setting={view.fault.value.setting(yourNames())}
          onShow={showFailing}
        />
      )}
      {state === 'broken-off' && (
        <BrokenOffBanner
          run={start?.run ?? view.data.run}
          last={view.times.value.last}
          doubts={inDoubt(tree)}
          finished={finishedCalls(tree)}
          off={offline()}
          onResume={props.onResume}
        />
      )}
    </>
  );
};
