// The addresses of the page: every view has one, and every one is a view. Pure: text to place and back.
// An op or event that is selected stands after `#`, so that it stays selected from tab to tab.

export const RUN_TABS = ['timeline', 'graph', 'conversation', 'team', 'cost', 'changes', 'journal'] as const;
export type RunTab = (typeof RUN_TABS)[number];

export type Place =
  | { readonly screen: 'runs' }
  | { readonly screen: 'run'; readonly run: string; readonly tab: RunTab }
  | { readonly screen: 'diff'; readonly left: string; readonly right: string }
  | { readonly screen: 'what-if'; readonly run: string }
  | { readonly screen: 'agents'; readonly agent?: string }
  | { readonly screen: 'start'; readonly agent: string }
  | { readonly screen: 'approvals'; readonly run?: string }
  | { readonly screen: 'tests'; readonly test?: string }
  /** `new`: a thread that begins with the next message. */
  | { readonly screen: 'chat'; readonly thread?: string }
  | { readonly screen: 'unknown'; readonly path: string };

/** The selection: an op by its path, or an event by its number. */
export type Selection =
  | { readonly kind: 'op'; readonly path: string }
  | { readonly kind: 'event'; readonly seq: number };

export interface Address {
  readonly place: Place;
  /** `state`, `agent`, `q`, `session`, `channel`, `seq`, `input`, `at`, `case` … as the screen says. */
  readonly query: Readonly<Record<string, string>>;
  readonly selected: Selection | undefined;
}

const OP_PATH = /^0(\.\d+)*$/;

export function addressOf(url: URL): Address {
  return {
    place: placeOf(url.pathname),
    query: Object.fromEntries([...url.searchParams].filter(([key]) => key !== 'token')),
    selected: selectionOf(url.hash),
  };
}

function placeOf(path: string): Place {
  const parts = path.split('/').filter((part) => part !== '');
  const [first, name, third, fourth] = parts.map(decoded);
  if (first === undefined || (first === 'runs' && name === undefined)) return { screen: 'runs' };
  if (first === 'runs' && name !== undefined) {
    if (third === 'diff' && fourth !== undefined && parts.length === 4)
      return { screen: 'diff', left: name, right: fourth };
    if (third === 'what-if' && parts.length === 3) return { screen: 'what-if', run: name };
    const tab = third === undefined ? 'timeline' : RUN_TABS.find((known) => known === third);
    if (tab !== undefined && parts.length <= 3) return { screen: 'run', run: name, tab };
  }
  if (first === 'agents' && name === undefined) return { screen: 'agents' };
  if (first === 'agents' && name !== undefined && parts.length === 2) return { screen: 'agents', agent: name };
  if (first === 'agents' && name !== undefined && third === 'start' && parts.length === 3)
    return { screen: 'start', agent: name };
  if (first === 'approvals' && parts.length <= 2)
    return name === undefined ? { screen: 'approvals' } : { screen: 'approvals', run: name };
  if (first === 'tests' && parts.length <= 2)
    return name === undefined ? { screen: 'tests' } : { screen: 'tests', test: name };
  if (first === 'chat' && parts.length <= 2)
    return name === undefined ? { screen: 'chat' } : { screen: 'chat', thread: name };
  return { screen: 'unknown', path };
}

/** A broken escape in an address is a text like any other. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function selectionOf(hash: string): Selection | undefined {
  const text = decoded(hash.slice(1));
  if (OP_PATH.test(text)) return { kind: 'op', path: text };
  const seq = /^seq=(\d+)$/.exec(text)?.[1];
  return seq === undefined ? undefined : { kind: 'event', seq: Number(seq) };
}

/** The parameters of the look at a timeline: it stays while other tabs or other ops of the run are chosen. */
const LOOK = ['at', 'level', 'zoom', 'instants', 'rows', 'follow', 'skip'] as const;

export const lookOf = (query: Address['query']): Record<string, string | undefined> =>
  Object.fromEntries(LOOK.map((field) => [field, query[field]]));

/** The address that a link of the page leads to: one to another op of the same run keeps the look at the timeline. */
export function followedFrom(now: Address, link: URL): string {
  const { place, query, selected } = addressOf(link);
  const isSame = place.screen === 'run' && now.place.screen === 'run' && place.run === now.place.run;
  if (!isSame || selected === undefined || Object.keys(query).length > 0)
    return link.pathname + link.search + link.hash;
  // Selecting ends following.
  return hrefOf(place, { query: { ...lookOf(now.query), follow: undefined }, selected });
}

export interface AddressParts {
  readonly query?: Readonly<Record<string, string | undefined>> | undefined;
  readonly selected?: Selection | undefined;
}

export function hrefOf(place: Place, { query = {}, selected }: AddressParts = {}): string {
  const given = Object.entries(query).filter(
    (pair): pair is [string, string] => pair[1] !== undefined && pair[1] !== '',
  );
  const search = given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
  return pathOf(place) + search + hashOf(selected);
}

function pathOf(place: Place): string {
  const part = encodeURIComponent;
  switch (place.screen) {
    case 'runs':
      return '/runs';
    case 'run':
      return `/runs/${part(place.run)}${place.tab === 'timeline' ? '' : `/${place.tab}`}`;
    case 'diff':
      return `/runs/${part(place.left)}/diff/${part(place.right)}`;
    case 'what-if':
      return `/runs/${part(place.run)}/what-if`;
    case 'agents':
      return place.agent === undefined ? '/agents' : `/agents/${part(place.agent)}`;
    case 'start':
      return `/agents/${part(place.agent)}/start`;
    case 'approvals':
      return place.run === undefined ? '/approvals' : `/approvals/${part(place.run)}`;
    case 'tests':
      return place.test === undefined ? '/tests' : `/tests/${part(place.test)}`;
    case 'chat':
      return place.thread === undefined ? '/chat' : `/chat/${part(place.thread)}`;
    case 'unknown':
      return place.path;
  }
}

function hashOf(selected: Selection | undefined): string {
  if (selected === undefined) return '';
  return selected.kind === 'op' ? `#${selected.path}` : `#seq=${selected.seq}`;
}

export const runHref = (run: string, tab: RunTab = 'timeline', parts?: AddressParts): string =>
  hrefOf({ screen: 'run', run, tab }, parts);
export const opHref = (run: string, path: string, tab: RunTab = 'timeline'): string =>
  runHref(run, tab, { selected: { kind: 'op', path } });
/** The address of one question to a person. */
export const approvalHref = ({ run, path }: { readonly run: string; readonly path: string }): string =>
  hrefOf({ screen: 'approvals', run }, { selected: { kind: 'op', path } });
export const agentHref = (agent: string): string => hrefOf({ screen: 'agents', agent });
export const startHref = (agent: string, query?: AddressParts['query']): string =>
  hrefOf({ screen: 'start', agent }, { query });
export const testHref = (test: string, query?: AddressParts['query']): string =>
  hrefOf({ screen: 'tests', test }, { query });
export const chatHref = (thread?: string, query?: AddressParts['query']): string =>
  hrefOf(thread === undefined ? { screen: 'chat' } : { screen: 'chat', thread }, { query });
/** Where a run is tried otherwise from one of its ops. */
export const whatIfHref = (run: string, at: string | undefined): string =>
  hrefOf({ screen: 'what-if', run }, { query: { at } });
