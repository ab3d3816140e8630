// The consequences of a yes, and the way to be asked no more: one line each.

import { escapeUnseen } from '../../../../src/base/text/escape-unseen.ts';
import { previewOf, restWords } from '../../../../src/kernel/approval.ts';
import type { ApprovalInfo } from '../../../../src/server/protocol.ts';
import { runAgents } from '../../data/run-agents.ts';
import type { RunData } from '../../data/run-data.ts';

/** The fate of the call if the process ends before its answer is recorded. */
const REPEATS: Readonly<Record<NonNullable<ApprovalInfo['tool']>['repeat'], string>> = {
  safe: 'After a crash: made again, which its tool says is safe.',
  never: 'After a crash: not made again; the model is told that its outcome is unknown.',
  decided: 'After a crash: checked first, and repeated only if it did not happen.',
};

export const SmallPrint = ({ asked, data }: { readonly asked: ApprovalInfo; readonly data: RunData }) => {
  const preview = previewOf(asked.about);
  const file = runAgents(data).value.get(asked.asker)?.file ?? `${asked.asker}.md`;
  return (
    <div class="small-print tiny-text soft breaks">
      {asked.tool?.request !== undefined && (
        <p>
          Sends <code dir="auto">{escapeUnseen(`${asked.tool.request.method} ${asked.tool.request.url}`)}</code>
        </p>
      )}
      {asked.tool !== undefined && <p>{REPEATS[asked.tool.repeat]}</p>}
      <p>
        {preview?.rest?.once === true
          ? `Approve also allows ${restWords(asked.about)}.`
          : 'Approve allows this one call.'}{' '}
        {preview?.always !== true && (
          <>
            To stop asking, add it to <code>trust</code> in <bdi>{file.split('/').at(-1)}</bdi>.
          </>
        )}
      </p>
      {asked.state === 'broken-off' && <p>No process works on the run now: the answer counts when it is resumed.</p>}
    </div>
  );
};
