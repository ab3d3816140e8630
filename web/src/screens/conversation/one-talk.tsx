// One conversation: what its session was told and by whom, what it said, its calls with their results, and how it went on.

import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { RunStart } from '../../../../src/journal/event.ts';
import type { ThreadInfo } from '../../../../src/server/protocol.ts';
import { plural } from '../../../../src/views/amounts.ts';
import type { ProvenanceFold } from '../../../../src/views/talk/provenance.ts';
import { branchOf } from '../../../../src/views/talk/threads.ts';
import type { Conversation } from '../../../../src/views/talk/transcript.ts';
import { runAgents, turnsOf } from '../../data/run-agents.ts';
import type { RunData } from '../../data/run-data.ts';
import { Button } from '../../parts/controls.tsx';
import { TriggerTag, triggerWord } from '../../parts/state.tsx';
import { TextBlock } from '../../parts/text-block.tsx';
import { type MessageWindow, useWindow } from '../../parts/use-window.ts';
import { TalkEntries } from './entries.tsx';
import { earlierRuns, type Shown, shownEntries } from './talk.ts';

interface TalkProps {
  readonly talk: Conversation;
  /** The agent whose session this one was opened from. */
  readonly above: string | undefined;
  /** `item 3 of 20` of a map, `round 2 of 4` of a loop. */
  readonly place: string | undefined;
  readonly data: RunData;
  readonly start: RunStart;
  readonly cost: string;
  readonly provenance: ProvenanceFold;
  readonly selected: string | undefined;
  /** It is read from its end on. */
  readonly live: boolean;
  /** The element that scrolls it. */
  readonly scroller: RefObject<HTMLElement | null>;
  readonly actions: ComponentChildren;
  /** The thread that the run is part of, as far as it is known. */
  readonly thread: ThreadInfo | undefined;
}

export const OneTalk = (props: TalkProps) => {
  const { talk, above, place, data, start, provenance, selected, thread } = props;
  const [isPlain, setPlain] = useState(false);
  const shown = useMemo(() => shownEntries(talk), [talk]);
  const { lines } = data.ledger.value;
  const writing = [...data.writing.value].filter(
    ([path]) => lines.every((line) => line.path !== path) && isOwn(path, talk),
  );
  const earlier = useMemo(() => earlierRuns(shown, branchOf(thread?.runs ?? [], data.run)), [shown, thread, data.run]);
  const range = useEntries(shown, props);
  return (
    <>
      <header class="talk-head line gaps nowrap ground ruled">
        <strong>{talk.agent}</strong>
        {talk.trigger !== 'start' && <TriggerTag trigger={talk.trigger} {...leadOf(talk.trigger, place, above)} />}
        <span class="faint">{turnWords(talk, data)}</span>
        <span class="grow" />
        <span class="faint num">{props.cost}</span>
        {props.actions}
        <Button size="small" pressed={isPlain} onPress={() => setPlain(!isPlain)}>
          As the model saw it
        </Button>
      </header>
      <TalkEntries
        of={{ talk, data, start, provenance }}
        range={range}
        earlier={earlier}
        isPlain={isPlain}
        selected={selected}
        shown={shown}
      >
        <Writing of={writing} />
      </TalkEntries>
    </>
  );
};

/** The texts that its model writes now. */
const Writing = ({ of }: { readonly of: readonly (readonly [string, string])[] }) => (
  <>
    {of.map(([path, text]) => (
      <li key={path} class="cols talk-entry">
        <span class="talk-when num tiny-text faint">now</span>
        <div>
          <TextBlock text={text} />
        </div>
      </li>
    ))}
  </>
);

/** `3 of 10 turns` */
function turnWords(talk: Conversation, data: RunData): string {
  const turn = talk.entries.at(-1)?.turn ?? 0;
  const seat = data.progress.value.sessions.find(({ session }) => session === talk.session)?.seat;
  const most = turnsOf({ agent: talk.agent, ...(seat && { seat }) }, runAgents(data).value);
  return most === undefined ? plural(turn, 'turn') : `${turn} of ${plural(most, 'turn')}`;
}

/** The entries that are in the document, of very many: those that are read. Others come in at either end. */
function useEntries(shown: readonly Shown[], { data, live, selected, scroller }: TalkProps): MessageWindow {
  const chosen = selected === undefined ? -1 : shown.findIndex(({ entry }) => entry.op === selected);
  // The place at which it was opened stays when the run ends.
  const opened = useRef(live ? undefined : 0);
  const range = useWindow(shown.length, scroller, chosen >= 0 ? chosen : opened.current);
  const isAtEnd = useRef(live && chosen < 0);
  const near = useRef(range.onNear);
  near.current = range.onNear;
  useEffect(() => {
    const element = scroller.current;
    const scrolled = (): void => {
      if (element !== null)
        isAtEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END;
      near.current();
    };
    element?.addEventListener('scroll', scrolled);
    return () => element?.removeEventListener('scroll', scrolled);
  }, [scroller]);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (live && isAtEnd.current && element !== null) element.scrollTop = element.scrollHeight;
  });
  // The journal arrives in slices: the entry comes with one, and those above it grow until the last.
  useEffect(() => {
    if (selected !== undefined)
      scroller.current?.querySelector('.talk-entry.selected')?.scrollIntoView({ block: 'nearest' });
  }, [selected, chosen >= 0, data.extent.value.settled]);
  return range;
}

/** In pixels: whoever reads so near to the end of a live conversation follows it. */
const NEAR_END = 80;

const isOwn = (path: string, { session }: Conversation): boolean => {
  const rest = path.startsWith(`${session}.`) ? path.slice(session.length + 1) : undefined;
  return rest !== undefined && !rest.includes('.');
};

/** The words about the session that opened this one, if it is known. */
const leadOf = (trigger: Parameters<typeof triggerWord>[0], place: string | undefined, above: string | undefined) =>
  above === undefined ? {} : { word: `${leadWords(trigger, place)} by ${above}` };

/** `item 3 of 20`, `judge, round 2 of 4` */
const leadWords = (trigger: Parameters<typeof triggerWord>[0], place: string | undefined): string =>
  trigger === 'each' && place !== undefined ? place : [triggerWord(trigger), place].filter(Boolean).join(', ');
