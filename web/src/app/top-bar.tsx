// The bar at the top: places, what waits for a person, the palette, the connection, a new run.

import { signal } from '@preact/signals';
import { clock } from '../../../src/views/amounts.ts';
import { approvals } from '../data/approvals.ts';
import { serverNow, tick, useTicking } from '../data/clock.ts';
import { link, tryNow } from '../data/connection.ts';
import { Button, Key } from '../parts/controls.tsx';
import { Icon } from '../parts/icon.tsx';
import { approvalHref, hrefOf } from './addresses.ts';
import { paletteOpen } from './palette.tsx';
import { address } from './router.ts';

export const TopBar = () => {
  const { screen } = address.value.place;
  const waiting = approvals.value.length;
  const current = (...screens: readonly string[]) => (screens.includes(screen) ? ('page' as const) : undefined);
  return (
    <header class="top line gaps-4 paper ruled">
      <a class="brand line gaps strong" href="/runs" aria-label="Cadre">
        <Icon name="mark" />
        <span aria-hidden="true">Cadre</span>
      </a>
      <nav aria-label="Main">
        <a class="line gaps-6 soft" href="/chat" aria-current={current('chat')}>
          Chat
        </a>
        <a class="line gaps-6 soft" href="/runs" aria-current={current('runs', 'run', 'diff')}>
          Runs
        </a>
        <a class="line gaps-6 soft" href="/agents" aria-current={current('agents', 'start')}>
          Agents
        </a>
        <a class="line gaps-6 soft" href="/tests" aria-current={current('tests')}>
          Tests
        </a>
        <a class="line gaps-6 soft" href={waitingHref()} aria-current={current('approvals')}>
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
        </a>
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
      <span class="grow" />
      <Button size="small" onPress={tryNow}>
        Try now
      </Button>
    </div>
  );
};
