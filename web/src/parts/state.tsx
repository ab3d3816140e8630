// States and outcomes as the page shows them: family, icon and word. Of all outcomes only `answered` is green.

import type { Activity } from '../../../src/views/progress/progress.ts';
import type { OpState } from '../../../src/views/tree/op-tree.ts';
import { Icon, type IconName } from './icon.tsx';

export type StateName =
  | OpState
  | 'broken-off'
  | 'person'
  | 'waiting'
  | 'waited'
  | 'queued'
  | 'thinking'
  | 'calling'
  | 'skipped'
  | 'not-made'
  | 'ok';

export type Family = 'good' | 'live' | 'limit' | 'bad' | 'doubt' | 'plain';

interface Look {
  readonly family: Family;
  readonly icon: IconName;
  readonly word: string;
}

const LOOKS: Readonly<Record<StateName, Look>> = {
  answered: { family: 'good', icon: 'answered', word: 'answered' },
  ok: { family: 'good', icon: 'answered', word: 'ok' },
  done: { family: 'good', icon: 'answered', word: 'ok' },
  running: { family: 'live', icon: 'running', word: 'running' },
  thinking: { family: 'live', icon: 'running', word: 'thinks' },
  calling: { family: 'live', icon: 'running', word: 'calls' },
  person: { family: 'limit', icon: 'person', word: 'waits for you' },
  exhausted: { family: 'limit', icon: 'exhausted', word: 'exhausted' },
  'over-budget': { family: 'limit', icon: 'over-budget', word: 'over-budget' },
  'timed-out': { family: 'limit', icon: 'timed-out', word: 'timed-out' },
  refused: { family: 'limit', icon: 'warn', word: 'sent back' },
  'sent-back': { family: 'limit', icon: 'warn', word: 'sent back' },
  'not-made': { family: 'limit', icon: 'refused', word: 'refused' },
  asks: { family: 'plain', icon: 'person', word: 'asks first' },
  denied: { family: 'bad', icon: 'failed', word: 'denied' },
  failed: { family: 'bad', icon: 'failed', word: 'failed' },
  'in-doubt': { family: 'doubt', icon: 'in-doubt', word: 'in-doubt' },
  'broken-off': { family: 'doubt', icon: 'broken-off', word: 'broken-off' },
  routed: { family: 'plain', icon: 'routed', word: 'routed' },
  left: { family: 'plain', icon: 'left', word: 'left' },
  cancelled: { family: 'plain', icon: 'cancelled', word: 'cancelled' },
  skipped: { family: 'plain', icon: 'cancelled', word: 'skipped' },
  waiting: { family: 'plain', icon: 'waiting', word: 'waits' },
  waited: { family: 'plain', icon: 'waiting', word: 'waited to the end' },
  queued: { family: 'plain', icon: 'queued', word: 'queued' },
};

export const lookOf = (state: StateName): Look => LOOKS[state];
export const familyOf = (state: StateName): Family => LOOKS[state].family;

const spins = ({ icon }: Look): boolean => icon === 'running';

/** The state of a session that a live screen shows. */
export function stateOf(activity: Activity): StateName {
  switch (activity.kind) {
    case 'thinking':
    case 'calling':
      return activity.kind;
    case 'waiting':
      return activity.for === 'person' ? 'person' : activity.for === 'others' ? 'waiting' : 'queued';
    case 'done':
      if (activity.waits !== undefined) return activity.waits === 'still' ? 'waiting' : 'waited';
      return activity.outcome;
    case 'failed':
      return activity.outcome;
  }
}

interface Props {
  readonly state: StateName;
  /** The word in place of its usual one. */
  readonly word?: string;
}

const Worded = ({ state, word, as }: Props & { readonly as: 'chip' | 'state' }) => {
  const look = LOOKS[state];
  return (
    <span class={`${as} s-${look.family}`}>
      <Icon name={look.icon} spin={spins(look)} />
      {word ?? look.word}
    </span>
  );
};

export const Chip = (props: Props) => <Worded {...props} as="chip" />;

export const StateWord = (props: Props) => <Worded {...props} as="state" />;

/** The icon alone, with its word for those who do not see it. */
export const StateMark = ({ state, word }: Props) => {
  const look = LOOKS[state];
  return (
    <span class={`mark s-${look.family}`} title={word ?? look.word}>
      <Icon name={look.icon} spin={spins(look)} />
      <span class="sr">{word ?? look.word}</span>
    </span>
  );
};

/** The reason why an agent ran, as a tag in the colour of its edge. The key is that of the agent's file. */
const EDGES: Readonly<Record<string, { readonly edge: string; readonly word: string }>> = {
  advisor: { edge: 'advisors', word: 'advisor' },
  router: { edge: 'router', word: 'routed to' },
  next: { edge: 'next', word: 'next' },
  handoff: { edge: 'handoff', word: 'handed to' },
  call: { edge: 'agents', word: 'asked' },
  member: { edge: 'team', word: 'member' },
  supervisor: { edge: 'team', word: 'supervisor' },
  subagent: { edge: 'agents', word: 'subagent' },
  spawn: { edge: 'agents', word: 'spawned' },
  each: { edge: 'next', word: 'each' },
  judge: { edge: 'repeat', word: 'judge' },
  repeat: { edge: 'repeat', word: 'again' },
};

export const triggerWord = (trigger: string): string => EDGES[trigger]?.word ?? trigger;

export const TriggerTag = ({ trigger, word }: { readonly trigger: string; readonly word?: string }) => {
  const known = EDGES[trigger];
  if (known === undefined) return <span class="tag">{word ?? trigger}</span>;
  return <span class={`tag edge e-${known.edge}`}>{word ?? known.word}</span>;
};
