// Makes the page's parts into something to read: what would be pressed is not there, links lead to places in the file, and
// pictures stand in it.

import { Fragment, options, type VNode } from 'preact';
import { pictureSource } from '../../src/views/exported-run.ts';
import { ColumnEdge } from '../src/screens/run/timeline/column-edge.tsx';

interface Props {
  readonly href?: string;
  readonly src?: string;
  readonly 'data-key'?: string;
  readonly [name: string]: unknown;
}

/** The id of the place in the file that a link to an op leads to. */
export const placeOf = (path: string): string => `op-${path}`;

interface Drawn {
  /** The op of the place at which each op is read. */
  readonly places: ReadonlyMap<string, string>;
  /** The digests of pictures that stand in the file. */
  readonly pictures: readonly string[];
}

export function beStill(run: string, { places, pictures }: Drawn): void {
  const before = options.vnode;
  const here = `/runs/${encodeURIComponent(run)}`;
  /** An op may have several entries: the first one that is drawn is its place. */
  const taken = new Set<string>();
  const still = (vnode: VNode<Props>): void => {
    const { type, props } = vnode;
    if (type === 'button' || type === ColumnEdge) leaveOut(vnode);
    else if (type === 'a') followHere(vnode, (href) => (href.startsWith(here) ? opIn(href, places) : undefined));
    else if (type === 'img') showHere(vnode, pictures);
    else if (type === 'li') {
      const op = props['data-key']?.split(' ')[1];
      if (op === undefined || taken.has(op)) return;
      taken.add(op);
      vnode.props = { ...props, id: placeOf(op) };
    }
  };
  options.vnode = (vnode) => {
    still(vnode as VNode<Props>);
    before?.(vnode);
  };
}

const opIn = (href: string, places: ReadonlyMap<string, string>): string | undefined =>
  places.get(/#(0(?:\.\d+)*)$/.exec(href)?.[1] ?? '');

/** A link to an op that is drawn leads to its place in the file. All others of the page lead nowhere. */
function followHere(vnode: VNode<Props>, placeFor: (href: string) => string | undefined): void {
  const { href = '' } = vnode.props;
  if (/^(?:https?|mailto):|^#/.test(href)) return;
  const path = placeFor(href);
  const { href: _, download: _name, title: _title, ...rest } = vnode.props;
  if (path === undefined) vnode.type = 'span';
  vnode.props = path === undefined ? rest : { ...rest, href: `#${placeOf(path)}` };
}

function leaveOut(vnode: VNode<Props>): void {
  vnode.type = Fragment;
  vnode.props = { children: undefined };
}

/** The page loads a picture by its digest. One that does not stand in the file has its name beside it. */
function showHere(vnode: VNode<Props>, pictures: readonly string[]): void {
  const digest = /^\/api\/blobs\/([0-9a-f]{64})\?/.exec(vnode.props.src ?? '')?.[1];
  if (digest === undefined || !pictures.includes(digest)) return leaveOut(vnode);
  const { src: _, loading: _lazily, ...rest } = vnode.props;
  vnode.props = { ...rest, src: pictureSource(digest) };
}
