// The answer of a run, or what was written until it ended without one.

import { isBroken } from '../../src/kernel/outcome.ts';
import type { RecordedRun } from '../src/data/recorded-run.ts';
import { TextBlock } from '../src/parts/text-block.tsx';
import { endingOf } from '../src/screens/run/run-facts.ts';

export const Answer = ({ data }: { readonly data: RecordedRun }) => {
  const ending = endingOf(data.events, data.events.length);
  if (ending === undefined)
    return (
      <>
        <h2>The answer</h2>
        <p class="soft">No answer yet at this point.</p>
      </>
    );
  const { outcome } = ending;
  const text = isBroken(outcome) ? outcome.partial : 'text' in outcome ? outcome.text : undefined;
  const isJson = 'data' in outcome && outcome.data !== undefined;
  return (
    <>
      <h2>{isBroken(outcome) ? 'Written until then, not an answer' : 'The answer'}</h2>
      {text === undefined || text === '' ? (
        <p class="soft">Nothing was written.</p>
      ) : (
        <TextBlock text={text} as={isJson ? 'code' : 'markdown'} />
      )}
    </>
  );
};
