// The meaning of boxes and lines, so that they can be read without colour.

import { Icon } from '../../parts/icon.tsx';
import { lookOf, type StateName } from '../../parts/state.tsx';

const STATES: readonly (readonly [StateName, string])[] = [
  ['running', 'thinks, writes, calls'],
  ['waiting', 'waits'],
  ['queued', 'queued'],
  ['person', 'waits for you'],
  ['answered', 'answered'],
  ['failed', 'failed'],
];

export const Legend = () => (
  <div class="legend line ruled-above tiny-text faint paper wraps" aria-hidden="true">
    {STATES.map(([state, words]) => (
      <span key={state}>
        <span class={`mark s-${lookOf(state).family}`}>
          <Icon name={lookOf(state).icon} />
        </span>
        {words}
      </span>
    ))}
    {(['just', 'used', 'unused'] as const).map((state) => (
      <span key={state}>
        <svg viewBox="0 0 26 8">
          <path class={`graph-line ${state} e-next`} d="M0 4h26" />
        </svg>
        {state === 'just' ? 'just used' : state === 'used' ? 'used' : 'not used'}
      </span>
    ))}
  </div>
);
