// The reason for an answer, beside the chat.

import { useMemo } from 'preact/hooks';
import { WhyFold } from '../../../../src/views/talk/why.ts';
import { useKeys } from '../../app/keys.ts';
import { useRun } from '../../data/runs-in-use.ts';
import { Button } from '../../parts/controls.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Moment } from '../../parts/times.tsx';
import { WhySteps } from '../../parts/why-steps.tsx';

export const WhySide = ({ run, onClose }: { readonly run: string; readonly onClose: () => void }) => {
  const data = useRun(run);
  const why = useMemo(
    () =>
      data.view(
        () => new WhyFold(),
        (fold) => fold.why(),
      ),
    [data],
  );
  useKeys(useMemo(() => [{ keys: 'Escape', does: 'close why', run: onClose }], [run]));
  const start = data.extent.value.count === 0 ? undefined : data.events[0];
  const loading = data.loading.value;
  return (
    <aside class="side drawer chat-why" aria-label="Why this answer">
      <div class="panel-head">
        <h2>
          Why this answer
          {start !== undefined && (
            <span class="faint small-text">
              <Moment at={start.at} />
            </span>
          )}
          <span class="grow" />
          <Button kind="bare" size="tiny" icon="close" label="Close" onPress={onClose} />
        </h2>
      </div>
      <div class="panel-body" tabIndex={0} role="region" aria-label="Steps">
        {loading.kind === 'refused' && <p class="err">{loading.problem.message}</p>}
        {loading.kind === 'loading' && <Loading rows={4} />}
        {start !== undefined &&
          (why.value.steps.length === 0 ? <p>No answer yet at this point.</p> : <WhySteps why={why.value} run={run} />)}
      </div>
    </aside>
  );
};
