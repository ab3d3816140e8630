// The keys of the timeline.

import { useMemo, useRef } from 'preact/hooks';
import type { OpNode } from '../../../../../src/views/tree/op-tree.ts';
import { runHref } from '../../../app/addresses.ts';
import { type KeyBinding, useKeys } from '../../../app/keys.ts';
import { address, go, select, setQuery } from '../../../app/router.ts';
import { copyText } from '../../../parts/controls.tsx';
import type { RunView } from '../run-view.ts';
import { toggleSide } from '../side/side-shown.ts';
import { moved, zoomed } from './axis.ts';
import { follow, toggleFollow } from './following.ts';
import { isBad, LEVELS, type Level, partsOf, type Row } from './rows.ts';
import { startScrubbing } from './scrubber.tsx';
import type { TimeWindow } from './time-window.ts';
import { type Skips, skipWaits } from './use-skips.ts';

export interface KeyScene {
  readonly view: RunView;
  readonly rows: readonly Row[];
  readonly selected: string | undefined;
  readonly level: Level;
  readonly whole: TimeWindow;
  readonly window: TimeWindow;
  readonly now: number;
  readonly zoomTo: (window: TimeWindow | undefined) => void;
  readonly setOpen: (key: string, open: boolean) => void;
  readonly skips: Skips;
  readonly live: boolean;
}

/** The scene changes with every frame; the bindings stay. */
export function useTimelineKeys(scene: KeyScene): void {
  const current = useRef(scene);
  current.current = scene;
  useKeys(useMemo(() => bindings(() => current.current), []));
}

/** The keys that move the time. */
const timeKeys = (scene: () => KeyScene): readonly KeyBinding[] => [
  { keys: 'w', does: 'zoom in', run: () => scene().zoomTo(zoomed(scene().window, scene().whole, 0.6)) },
  { keys: 's', does: 'zoom out', run: () => scene().zoomTo(zoomed(scene().window, scene().whole, 1 / 0.6)) },
  { keys: 'a', does: 'earlier', run: () => scene().zoomTo(moved(scene().window, scene().whole, -0.2)) },
  { keys: 'd', does: 'later', run: () => scene().zoomTo(moved(scene().window, scene().whole, 0.2)) },
  { keys: '0', does: 'fit the whole time', run: () => scene().zoomTo(undefined) },
  { keys: 'z', does: 'zoom to the selection', run: () => toSelection(scene()) },
];

/** The keys that change what is shown, and not where. */
const viewKeys = (scene: () => KeyScene): readonly KeyBinding[] => [
  { keys: 'f', does: 'follow', run: toggleFollow },
  {
    keys: 'shift+w',
    does: 'skip waits',
    run: () => (scene().skips.isOffered ? skipWaits(!scene().skips.isOn) : false),
  },
  {
    keys: 'i',
    does: 'instants as rows',
    run: () => setQuery({ instants: address.peek().query['instants'] === undefined ? 'rows' : undefined }),
  },
  {
    keys: '\\',
    does: 'inspector',
    run: () => toggleSide(scene().live && matchMedia('(max-width: 1199px)').matches),
  },
  { keys: 'y', does: 'copy a link', run: () => void copyText(location.href) },
  { keys: 't', does: 'time travel', run: startScrubbing },
];

function bindings(scene: () => KeyScene): readonly KeyBinding[] {
  const at = (): number => scene().rows.findIndex(({ key }) => key === scene().selected);
  const pick = (index: number): void => {
    const { rows } = scene();
    const row = rows[Math.min(Math.max(0, index), rows.length - 1)];
    if (row === undefined) return;
    follow(false);
    if (row.kind !== 'group') select({ kind: 'op', path: row.key });
  };
  return [
    { keys: 'ArrowDown|j', does: 'next row', run: () => pick(at() + 1) },
    { keys: 'ArrowUp|k', does: 'row before', run: () => pick(at() < 0 ? 0 : at() - 1) },
    { keys: 'Home', does: 'first row', run: () => pick(0) },
    { keys: 'End', does: 'last row', run: () => pick(Infinity) },
    { keys: 'ArrowRight', does: 'open, or to the first below', run: () => opened(scene(), at(), pick) },
    { keys: 'ArrowLeft', does: 'close, or to the one above', run: () => closed(scene(), at(), pick) },
    { keys: 'Enter', does: 'conversation', run: () => conversation(scene()) },
    { keys: ']', does: 'more detail', run: () => showMore(scene(), 1) },
    { keys: '[', does: 'less detail', run: () => showMore(scene(), -1) },
    { keys: 'e', does: 'next failure', run: () => toFailure(scene(), 1) },
    { keys: 'shift+e', does: 'previous failure', run: () => toFailure(scene(), -1) },
    { keys: 'b', does: 'back to who told it', run: () => followed(scene(), 'back') },
    { keys: 'o', does: 'on to where it went', run: () => followed(scene(), 'on') },
    ...timeKeys(scene),
    ...viewKeys(scene),
  ];
}

/** One level of detail more or less. */
function showMore({ level }: KeyScene, by: 1 | -1): void {
  setQuery({ level: LEVELS[Math.min(LEVELS.length - 1, Math.max(0, LEVELS.indexOf(level) + by))] });
}

/** The next failure of the whole tree, whether it has a row or not: selecting gives it one. */
function toFailure({ view, selected }: KeyScene, step: 1 | -1): void {
  const nodes = allParts(view.data.tree.value);
  const start = nodes.findIndex(({ path }) => path === selected);
  for (let count = 1; count <= nodes.length; count++) {
    const node = nodes[(start + step * count + nodes.length * 2) % nodes.length];
    if (node === undefined || !isDeepest(node)) continue;
    follow(false);
    return select({ kind: 'op', path: node.path });
  }
}

/** The deepest ones that failed: an agent whose turn failed is not meant. */
const isDeepest = (node: OpNode): boolean => isBad(node) && !partsOf(node).some(isDeepBad);

const isDeepBad = (node: OpNode): boolean => isBad(node) || partsOf(node).some(isDeepBad);

const allParts = (node: OpNode): readonly OpNode[] => [node, ...partsOf(node).flatMap(allParts)];

function opened({ setOpen, rows }: KeyScene, index: number, pick: (index: number) => void): boolean | void {
  const row = rows[index];
  if (row === undefined) return false;
  if (row.open === 'closed') setOpen(row.key, true);
  else if ((rows[index + 1]?.depth ?? 0) > row.depth) pick(index + 1);
}

function closed({ setOpen, rows }: KeyScene, index: number, pick: (index: number) => void): boolean | void {
  const row = rows[index];
  if (row === undefined) return false;
  if (row.open === 'open') return setOpen(row.key, false);
  const above = rows.slice(0, index).findLastIndex(({ depth }) => depth < row.depth);
  if (above >= 0) pick(above);
}

function conversation({ view, selected }: KeyScene): boolean | void {
  if (selected === undefined) return false;
  go(runHref(view.data.run, 'conversation', { selected: { kind: 'op', path: selected } }));
}

function followed({ view, selected }: KeyScene, way: 'back' | 'on'): boolean | void {
  if (selected === undefined) return false;
  const { provenance } = view.why.value;
  const to =
    way === 'back'
      ? provenance.told(selected).find(({ how }) => how !== 'request')?.op
      : provenance.went(selected)[0]?.op;
  if (to !== undefined) select({ kind: 'op', path: to });
}

function toSelection({ rows, selected, zoomTo, now, whole }: KeyScene): boolean | void {
  const row = rows.find(({ key }) => key === selected);
  if (row === undefined) return false;
  const [from, to] = [row.node.spawnedAt ?? row.startedAt, row.endedAt ?? now];
  const room = Math.max(2, (to - from) * 0.1);
  zoomTo({ from: Math.max(whole.from, from - room), to: Math.min(whole.to, to + room) });
}
