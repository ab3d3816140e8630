// A link to another op of the same run, with who it is about.

import { opHref } from '../../../app/addresses.ts';
import type { RunView } from '../run-view.ts';
import { wayTo } from '../timeline/rows.ts';

export const OpLink = ({
  view,
  path,
  short = false,
}: {
  readonly view: RunView;
  readonly path: string;
  readonly short?: boolean;
}) => {
  const facts = view.facts.value.at(path);
  const { runs } = view.why.value.provenance;
  const place = runs.at(path) ?? runs.above(path);
  const turn = facts?.op?.kind === 'model' ? `, turn ${facts.op.turn}` : '';
  return (
    <span>
      {!short && place !== undefined && (
        <>
          <b>{labelOf(view, place.path) ?? place.agent}</b>
          {turn}{' '}
        </>
      )}
      <a class="op" href={opHref(view.data.run, path)}>
        {path}
      </a>
    </span>
  );
};

/** The label that the session that spawned a run gave it. */
function labelOf(view: RunView, path: string): string | undefined {
  return wayTo(view.data.tree.value, path).at(-1)?.label;
}
