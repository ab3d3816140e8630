// The graph of a run: its agents as the definitions lay them out, each with what it does at the moment that is looked at,
// and below it the time.

import { useMemo, useState } from 'preact/hooks';
import type { Graph } from '../../../../src/server/protocol.ts';
import { longWaits } from '../../../../src/views/waits.ts';
import { opHref } from '../../app/addresses.ts';
import { type KeyBinding, useKeys } from '../../app/keys.ts';
import { go, setQuery } from '../../app/router.ts';
import { tick, useTicking } from '../../data/clock.ts';
import { runGraph } from '../../data/run-agents.ts';
import { Loading } from '../../parts/loading.tsx';
import { useMedia } from '../../parts/media.ts';
import { Empty } from '../../parts/panel.tsx';
import { type RunView, viewOf } from '../run/run-view.ts';
import { Answer } from '../run/side/answer.tsx';
import { NowPanel } from '../run/side/now.tsx';
import type { RunTabProps } from '../run/tabs.ts';
import { showAt } from '../run/timeline/scrubber.tsx';
import { type BoxWords, boxWords } from './box-words.ts';
import { Canvas } from './canvas.tsx';
import { Legend } from './legend.tsx';
import { type Box, nextBox, pictureOf, reachableGraph } from './picture.ts';
import { mostTelling, NodeSide } from './side.tsx';
import { Travel } from './travel.tsx';
import { GraphTree } from './tree.tsx';
import { useGraph } from './use-graph.ts';
import './graph.css';

export const GraphTab = (props: RunTabProps) => {
  const graph = runGraph(props.data).value;
  const start = props.data.events[0];
  if (graph === undefined || start?.type !== 'run-start') return <Loading />;
  const reachable = reachableGraph(graph, start.agent);
  if (reachable.nodes.length < 2)
    return (
      <Empty part title="One agent, and nobody else">
        This run can reach no other agent, so there is no graph.
      </Empty>
    );
  return <RunGraph {...props} graph={reachable} />;
};

const RunGraph = ({ data, address, graph }: RunTabProps & { readonly graph: Graph }) => {
  const view = viewOf(data);
  const isPhone = useMedia('(max-width: 719px)');
  const shown = useGraph(data).value;
  const { state, count } = shown;
  const isNow = data.shownAt.value === undefined;
  const live = isLive(view);
  useTicking(live && isNow);
  const now = live && isNow ? Math.max(tick.value, view.times.value.last) : view.times.value.last;
  const { picture, open } = usePicture(graph, shown.used);
  const isOver = isNow && data.phase.value === 'broken-off';
  const wordsOf = (box: Box): BoxWords => boxWords(box.name, state, { now, isOver });
  const chosen = chosenBox(picture.boxes, address, state.nodes);
  const choose = (name: string | undefined): void => {
    const box = picture.boxes.find((one) => one.name === name);
    if (box?.isFolder === true) open(box.name);
    else setQuery({ node: name });
  };
  const onShow = (to: number | undefined): void => showAt(view, to);
  const waits = useMemo(() => longWaits(view.waits.value(now)), [view.waits.value, Math.floor(now / 1000)]);
  const keys = { view, chosen, isNow, picture, choose, sessions: state.nodes.get(chosen ?? '')?.sessions ?? [] };
  useGraphKeys(keys, onShow);
  const box = picture.boxes.find(({ name }) => name === chosen);
  const shut = address.query['side'] === 'off' || (isPhone && box === undefined);
  const close = (): void => setQuery({ side: box === undefined ? 'off' : undefined, node: undefined });
  return (
    <div class={shut ? 'split alone' : 'split'}>
      <div class="pane ground">
        {isPhone ? (
          <GraphTree picture={picture} nodes={state.nodes} chosen={chosen} onChoose={choose} wordsOf={wordsOf} />
        ) : (
          <>
            <Canvas {...{ picture, state, wordsOf, chosen }} now={live || !isNow ? now : undefined} onChoose={choose} />
            <Legend />
          </>
        )}
        <Travel data={data} count={count} waits={waits} live={live} onShow={onShow} />
      </div>
      {!shut &&
        (box !== undefined ? (
          <NodeSide of={box} words={wordsOf(box)} run={data.run} {...{ state, now }} onClose={close} />
        ) : (
          <aside class="side" aria-label={live && isNow ? 'What it is doing now' : 'The answer'}>
            {live && isNow ? <NowPanel view={view} onClose={close} /> : <Answer view={view} onClose={close} />}
          </aside>
        ))}
    </div>
  );
};

/** The picture stays the same while the agents do, and while no folder is opened. */
function usePicture(graph: Graph, used: ReadonlySet<string>) {
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const names = useMemo(() => graph.nodes.map(({ name }) => name).join(' '), [graph]);
  const picture = useMemo(() => pictureOf(graph, { used, opened }), [names, used, opened]);
  return { picture, open: (folder: string): void => setOpened(new Set([...opened, folder])) };
}

const isLive = ({ data }: RunView): boolean =>
  data.phase.value === 'running' && data.events[data.count.value - 1]?.type !== 'run-end';

/** The box that the address names, else that of the op that is selected in all tabs. */
function chosenBox(
  boxes: readonly Box[],
  { query, selected }: RunTabProps['address'],
  nodes: ReturnType<typeof useGraph>['value']['state']['nodes'],
): string | undefined {
  const named = query['node'];
  if (named !== undefined) return boxes.find(({ name }) => name === named)?.name;
  if (selected?.kind !== 'op') return undefined;
  const has = (session: string): boolean => selected.path === session || selected.path.startsWith(`${session}.`);
  let nearest: { readonly name: string; readonly session: string } | undefined;
  for (const [name, { sessions }] of nodes)
    for (const { session } of sessions)
      if (has(session) && session.length > (nearest?.session.length ?? 0)) nearest = { name, session };
  return boxes.find(({ name }) => name === nearest?.name)?.name;
}

interface KeyScene {
  readonly view: RunView;
  readonly chosen: string | undefined;
  readonly isNow: boolean;
  readonly picture: ReturnType<typeof pictureOf>;
  readonly choose: (name: string | undefined) => void;
  readonly sessions: Parameters<typeof mostTelling>[0];
}

function useGraphKeys(scene: KeyScene, onShow: (count: number | undefined) => void): void {
  const { view, chosen, isNow, picture, choose, sessions } = scene;
  const session = mostTelling(sessions);
  useKeys(
    useMemo((): readonly KeyBinding[] => {
      const move = ({ key }: KeyboardEvent): boolean | void => {
        const next = chosen === undefined ? picture.boxes[0]?.name : nextBox(picture, chosen, key);
        if (next === undefined) return false;
        choose(next);
      };
      return [
        { keys: 'ArrowRight|ArrowLeft|ArrowUp|ArrowDown', does: 'along the lines', run: move },
        {
          keys: 'Enter',
          does: 'open what stands there',
          run: () => (chosen === undefined ? false : setQuery({ side: undefined })),
        },
        { keys: 'Escape', does: 'close it', run: () => (chosen === undefined ? false : choose(undefined)) },
        {
          keys: 'o',
          does: 'timeline there',
          run: () => (session === undefined ? false : go(opHref(view.data.run, session))),
        },
        { keys: 't', does: 'time travel', run: focusTrack },
        {
          keys: 'f',
          does: isNow ? '' : 'back to now',
          run: () => (isNow ? false : onShow(undefined)),
        },
        { keys: '\\', does: 'side', run: () => setQuery({ side: sideNow() }) },
      ];
    }, [view, chosen, isNow, picture, session]),
  );
}

const sideNow = (): string | undefined =>
  new URLSearchParams(location.search).get('side') === 'off' ? undefined : 'off';

function focusTrack(): boolean | void {
  const track = document.querySelector<HTMLElement>('.graph-track');
  if (track === null) return false;
  track.focus();
}
