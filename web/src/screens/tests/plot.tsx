// The plot of a comparison: the share that passed against cost, time or tokens. Each point is a candidate and has its name.

import { Select } from '../../parts/controls.tsx';
import {
  ACROSS,
  ACROSS_NAMES,
  type Across,
  amountText,
  type ComparedCandidate,
  type Plot,
  type PlotPoint,
  plotOf,
} from './comparison.ts';

interface Props {
  readonly rows: readonly ComparedCandidate[];
  readonly across: Across;
  readonly times: number;
  readonly chosen: number;
  readonly onAcross: (across: Across) => void;
  readonly onChoose: (index: number) => void;
}

export const CandidatePlot = (props: Props) => {
  const { rows, across, onAcross } = props;
  const plot = plotOf(rows, across);
  return (
    <section aria-label="Passed, against cost, time or tokens">
      <div class="line wraps small-text">
        <b>Passed, against {ACROSS_NAMES[across]}</b>
        <span class="grow" />
        <Select
          label="across"
          value={across}
          of={ACROSS.map((value) => ({ value, name: ACROSS_NAMES[value] }))}
          onChoose={onAcross}
        />
      </div>
      {plot.points.length === 0 ? <p class="faint small-text">No point yet.</p> : <Field {...props} plot={plot} />}
      {plot.without.length > 0 && (
        <p class="faint small-text">No point, because a price is unknown: {plot.without.join(', ')}</p>
      )}
    </section>
  );
};

const percent = (part: number): string => `${part * 100}%`;

const Field = ({ rows, across, times, chosen, onChoose, plot }: Props & { readonly plot: Plot }) => {
  const { points, isLog, from, to } = plot;
  const best = points.filter(({ isBest }) => isBest).toSorted((one, other) => one.x - other.x);
  return (
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
        {points.map((point) => (
          <Point
            key={point.index}
            at={point}
            of={rows[point.index] as ComparedCandidate}
            across={across}
            isChosen={point.index === chosen}
            onChoose={() => onChoose(point.index)}
          />
        ))}
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
  );
};

interface PointProps {
  readonly at: PlotPoint;
  readonly of: ComparedCandidate;
  readonly across: Across;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

const Point = ({ at: { x, y, y0, y1 }, of, across, isChosen, onChoose }: PointProps) => {
  const amount = amountText(across, of[across]?.median ?? 0);
  const unit = across === 'usd' ? ' a case' : '';
  return (
    <div>
      <span class="compared-line" style={{ left: percent(x), bottom: percent(y0), height: percent(y1 - y0) }} />
      <button
        type="button"
        class="compared-point"
        style={{ left: percent(x), bottom: percent(y) }}
        aria-pressed={isChosen}
        aria-label={`${of.name}: ${of.passed} of ${of.of} passed, ${amount}${unit}`}
        onClick={onChoose}
      >
        <span class={`compared-mark of-${of.kind}`} />
        <span class={`compared-name tiny-text${x > 0.6 ? ' before' : ''}${y < 0.1 ? ' above' : ''}`}>{of.name}</span>
      </button>
    </div>
  );
};
