// The meaning of the bars, so that they can be read without colour.

const BARS = [
  ['model', 'model call'],
  ['tool', 'tool call'],
  ['waits', 'waits for others'],
  ['queued', 'queued'],
  ['person', 'waits for a person'],
  ['failed', 'failed'],
  ['doubt', 'in doubt'],
] as const;

export const Legend = () => (
  <div class="legend line ruled-above wide-only tiny-text faint nowrap paper" aria-hidden="true">
    {BARS.map(([kind, words]) => (
      <span key={kind}>
        <i class="g">
          <i class={`b-${kind}`} />
        </i>
        {words}
      </span>
    ))}
  </div>
);
