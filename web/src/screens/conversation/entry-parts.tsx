// The parts that entries of a conversation have in common: a link to an op, and to the run of an earlier message.

import { opHref, runHref } from '../../app/addresses.ts';

/** The figures of what was said before are those of its own run. */
export const Earlier = ({ run }: { readonly run: string | undefined }) =>
  run === undefined ? (
    <span class="faint">earlier in this thread</span>
  ) : (
    <a class="link" href={runHref(run, 'conversation')}>
      earlier in this thread
    </a>
  );

export const OpRef = ({ run, op }: { readonly run: string; readonly op: string | undefined }) =>
  op === undefined ? null : (
    <a class="op" href={opHref(run, op, 'conversation')}>
      {op}
    </a>
  );
