// The mark of a person on the answer of a run: two thumbs, and below them a box that is loaded when it is needed. Pressed
// again, a thumb takes the mark back; the marks of others are only read.

import { offline } from '../../data/connection.ts';
import { lacks } from '../../data/you.ts';
import { Button } from '../controls.tsx';
import { later } from '../later.tsx';
import type { FeedbackState, MarkedRun } from './use-feedback.ts';

const WORDS = { good: 'Good answer', bad: 'Bad answer' } as const;

/** Both thumbs. */
export const Thumbs = ({ of: { yours, put } }: { readonly of: FeedbackState }) => (
  <>
    {(['good', 'bad'] as const).map((mark) => (
      <Button
        key={mark}
        kind="bare"
        size="small"
        icon={mark}
        label={WORDS[mark]}
        pressed={yours?.mark === mark}
        off={offline() ?? lacks('run')}
        onPress={() => put(yours?.mark === mark ? 'none' : mark)}
      />
    ))}
  </>
);

const Box = later('part', () => import('./box.tsx').then((one) => one.FeedbackBox));

/** Opens below the thumbs as soon as there is a mark. */
export const FeedbackBox = (props: { readonly of: FeedbackState; readonly marked: MarkedRun }) => {
  const { yours, others, why } = props.of;
  return yours === undefined && others.length === 0 && why === undefined ? null : <Box {...props} />;
};
