// The plot of a comparison: the share that passed against cost, time or tokens. Each point is a candidate and has its name.

import { ACROSS, ACROSS_NAMES, type Across, amountText, type ComparedCandidate, plotOf } from './comparison.ts';

interface Props {
  readonly rows: readonly ComparedCandidate[];
  readonly across: Across;
  readonly times: number;
  readonly chosen: number;
  readonly onAcross: (across: Across) => void;
  readonly onChoose: (index: number) => void;
}

const percent = (part: number): string => `${part * 100}%`;

export const CandidatePlot = ({ rows, across, times, chosen, onAcross, onChoose }: Props) => {
  const { points, isLog, from, to, without } = plotOf(rows, across);
  const best = points.filter(({ isBest }) => isBest).toSorted((one, other) => one.x - other.x);
  return (
    <section aria-label="Passed, against cost, time or tokens">
      <div class="line wraps small-text">
        <b>Passed, against {ACROSS_NAMES[across]}</b>
        <span class="grow" />
        <label>
          across{' '}
          <select
            class="input own-width"
            value={across}
            onChange={(event) => onAcross(event.currentTarget.value as Across)}
          >
            {ACROSS.map((one) => (
              <option key={one} value={one}>
                {ACROSS_NAMES[one]}
              </option>
            ))}
          </select>
        </label>
      </div>
      {points.length === 0 ? (
        <p class="faint small-text">No point yet.</p>
      ) : (
        <>
          <div class="compared-field" role="group" aria-label="Candidates in the plot">
            {[0, 0.5, 1].map((share) => (
              <span key={share} class="compared-share faint tiny-text" style={{ bottom: percent(share) }}>
                {share * 100} %
              </span>
            ))}
            <svg viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true">
              <path d={best.map(({ x, y }, index) => `${index === 0 ? 'M' : 'L'}${x} ${1 - y}`).join('')} />
            </svg>
            {points.map((point) => {
              const row = rows[point.index] as ComparedCandidate;
              const amount = amountText(across, row[across]?.median ?? 0);
              const unit = across === 'usd' ? ' a case' : '';
              return (
                <div key={row.name}>
                  <span
                    class="compared-line"
                    style={{ left: percent(point.x), bottom: percent(point.y0), height: percent(point.y1 - point.y0) }}
                  />
                  <button
                    type="button"
                    class="compared-point"
                    style={{ left: percent(point.x), bottom: percent(point.y) }}
                    aria-pressed={point.index === chosen}
                    aria-label={`${row.name}: ${row.passed} of ${row.of} passed, ${amount}${unit}`}
                    onClick={() => onChoose(point.index)}
                  >
                    <span class={`compared-mark of-${row.kind}`} />
                    <span
                      class={`compared-name tiny-text${point.x > 0.6 ? ' before' : ''}${point.y < 0.1 ? ' above' : ''}`}
                    >
                      {row.name}
                    </span>
                  </button>
                </div>
              );
            })}
          </div>
          <p class="compared-axis line faint tiny-text">
            <span>{amountText(across, from)}</span>
            <span class="grow" />
            <span>{amountText(across, to)}</span>
          </p>
          <p class="faint tiny-text">
            {isLog && 'logarithmic · '}dashed: nobody is better and cheaper
            {times > 1 && ` · lines: the lowest to the highest of ${times} times`}
          </p>
        </>
      )}
      {without.length > 0 && <p class="faint small-text">No point, because a price is unknown: {without.join(', ')}</p>}
    </section>
  );
};
