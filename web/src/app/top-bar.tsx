// The bar at the top: places, what waits for a person, the palette, the connection, a new run.

import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { clock } from '../../../src/views/amounts.ts';
import { approvals } from '../data/approvals.ts';
import { serverNow, tick, useTicking } from '../data/clock.ts';
import { link, tryNow } from '../data/connection.ts';
import { Button, Key } from '../parts/controls.tsx';
import { Icon } from '../parts/icon.tsx';
import { approvalHref, hrefOf } from './addresses.ts';
import { paletteOpen } from './palette.tsx';
import { address } from './router.ts';

const PLACES: readonly { readonly name: string; readonly href: string; readonly screens: readonly string[] }[] = [
  { name: 'Chat', href: '/chat', screens: ['chat'] },
  { name: 'Runs', href: '/runs', screens: ['runs', 'run', 'diff', 'what-if'] },
  { name: 'Agents', href: '/agents', screens: ['agents', 'start'] },
  { name: 'Tests', href: '/tests', screens: ['tests'] },
];

export const TopBar = () => (
  <header class="top line gaps-4 paper ruled">
    <a class="brand line gaps strong" href="/runs" aria-label="Cadre">
      <Icon name="mark" />
      <span aria-hidden="true">Cadre</span>
    </a>
    <nav aria-label="Main">
      {PLACES.map(({ name, href, screens }) => (
        <Place key={name} href={href} screens={screens}>
          {name}
        </Place>
      ))}
      <Place href={waitingHref()} screens={['approvals']}>
        <WhatWaits />
      </Place>
    </nav>
    <span class="grow" />
    <button
      type="button"
      class="ask line gaps ground faint nowrap"
      onClick={() => {
        paletteOpen.value = true;
      }}
    >
      <Icon name="search" />
      <span class="grow cut phone-sr">Search, or run a command</span>
      <Key keys="mod+k" />
    </button>
    <LinkState />
    <Button keys="n" onPress={newRun}>
      <span>
        New<span class="wide-only"> run</span>
      </span>
    </Button>
  </header>
);

interface PlaceProps {
  readonly href: string;
  readonly screens: readonly string[];
  readonly children: ComponentChildren;
}

const Place = ({ href, screens, children }: PlaceProps) => (
  <a
    class="line gaps-6 soft"
    href={href}
    aria-current={screens.includes(address.value.place.screen) ? 'page' : undefined}
  >
    {children}
  </a>
);

const WhatWaits = () => {
  const waiting = approvals.value.length;
  return (
    <>
      <span class="phone-only">
        <Icon name="person" />
      </span>
      <span class="phone-sr">Approvals</span>
      {waiting > 0 && (
        <span class="badge num tiny-text strong">
          {waiting}
          <span class="sr"> waiting</span>
        </span>
      )}
    </>
  );
};

/** The address of the oldest question that waits: the only place where one is chosen for a person. */
export function waitingHref(): string {
  const [first] = approvals.value;
  return first === undefined ? hrefOf({ screen: 'approvals' }) : approvalHref(first);
}

/** The agent for which New run was asked. Undefined: it is closed. */
export const newRunAt = signal<{ readonly agent: string | undefined } | undefined>(undefined);

/** Asks whom and what, over what is looked at; an agent that is looked at is proposed. */
export function newRun(): void {
  const { place } = address.value;
  const isAgent = place.screen === 'agents' || place.screen === 'start';
  newRunAt.value = { agent: isAgent ? place.agent : undefined };
}

const LinkState = () => {
  const now = link.value;
  const lost = now.state === 'reconnecting';
  return (
    <span class={`link-state line gaps-6 small-text faint nowrap${lost ? ' off' : ''}`} role="status">
      {lost ? <Lost at={now.lastEventAt} /> : now.state === 'live' ? 'live' : 'connecting'}
    </span>
  );
};

/** The clock of the page stands still while the connection is lost, so this counts by itself. */
const Lost = ({ at }: { readonly at: number }) => <>reconnecting, last event {clock(serverNow() - at)} ago</>;

const A_WHILE_MS = 60_000;

/** After a minute without the server, a bar below the top one. */
export const LostBar = () => {
  const now = link.value;
  useTicking(now.state === 'reconnecting');
  if (now.state !== 'reconnecting' || Math.max(serverNow(), tick.value) - now.since < A_WHILE_MS) return null;
  return (
    <div class="banner line gaps-12 tinted s-limit" role="alert">
      <Icon name="warn" />
      <span>The server cannot be reached. Everything here is as it was when the connection broke.</span>
      <span class="grow wide-only" />
      <Button size="small" onPress={tryNow}>
        Try now
      </Button>
    </div>
  );
};
