// Below 1200 pixels there is no room for *Now* beside a live run: one line says who is at work, and opens it over the time.

import { groupOf, type SessionGroup } from '../../../../../src/views/progress/session-counts.ts';
import { Button } from '../../../parts/controls.tsx';
import { StateMark, type StateName, stateOf } from '../../../parts/state.tsx';
import type { RunView } from '../run-view.ts';
import { lineWords } from './line-words.ts';
import { type SideName, showSide } from './side-shown.ts';

const SHOWN: readonly SessionGroup[] = ['asking', 'at work', 'queued', 'waiting'];

export const NowLine = ({ view, open }: { readonly view: RunView; readonly open: SideName | undefined }) => {
  const { sessions } = view.data.progress.value;
  const agent = view.facts.value.start?.agent ?? '';
  return (
    <div class="now-foot line gaps-12 small-text soft nowrap paper ruled-above" role="group" aria-label="Now">
      {SHOWN.map((group) => {
        const own = sessions.filter((one) => groupOf(one) === group);
        const [first] = own;
        if (first === undefined) return null;
        return (
          <span key={group} class="line gaps-6">
            <StateMark state={stateOf(first.activity) as StateName} />
            <span class="cut">{lineWords(own, group)}</span>
          </span>
        );
      })}
      <span class="grow" />
      <span class="wide-only">
        <Button size="small" icon="send" onPress={() => showSide('message')}>
          Message {agent}
        </Button>
      </span>
      <Button
        size="small"
        keys={'\\'}
        pressed={open !== undefined}
        onPress={() => showSide(open === undefined ? 'now' : undefined)}
      >
        Now
      </Button>
    </div>
  );
};
