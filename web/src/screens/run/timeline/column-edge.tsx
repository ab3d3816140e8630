// The right edge of a column: dragged, or moved by the arrow keys; Home and a double click give the width of the design.

import { type Column, columns, LIMITS, setColumn } from './columns.ts';

const STEP = 8;

export const ColumnEdge = ({ column, label }: { readonly column: Column; readonly label: string }) => {
  const width = columns.value[column] ?? usual(column);
  return (
    <span
      class="column-edge"
      role="separator"
      aria-orientation="vertical"
      aria-label={label}
      aria-valuenow={width}
      aria-valuemin={LIMITS[column].least}
      aria-valuemax={LIMITS[column].most}
      tabIndex={0}
      title="Drag, or use the arrow keys; a double click gives its usual width"
      onDblClick={() => setColumn(column, undefined)}
      onKeyDown={(event) => {
        const to = event.key === 'ArrowLeft' ? width - STEP : event.key === 'ArrowRight' ? width + STEP : undefined;
        if (to === undefined && event.key !== 'Home') return;
        event.preventDefault();
        event.stopPropagation();
        setColumn(column, to);
      }}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.preventDefault();
        const edge = event.currentTarget;
        edge.setPointerCapture(event.pointerId);
        const from = event.clientX;
        const move = (moved: PointerEvent): void => setColumn(column, width + moved.clientX - from);
        const over = (): void => edge.removeEventListener('pointermove', move);
        edge.addEventListener('pointermove', move);
        edge.addEventListener('lostpointercapture', over, { once: true });
      }}
    />
  );
};

/** The usual width, as the style has it: names are narrower on a narrow screen. */
const usual = (column: Column): number =>
  column === 'figures' ? 176 : matchMedia('(max-width: 1320px)').matches ? 244 : 300;
