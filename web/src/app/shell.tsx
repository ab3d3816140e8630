// The frame of the page: the top bar, the screen of the address, what lies over it, and the keys that work everywhere.

import { useEffect, useMemo } from 'preact/hooks';
import { focusFilter } from '../parts/controls.tsx';
import { Sprite } from '../parts/icon.tsx';
import { later } from '../parts/later.tsx';
import { Screen } from '../screens/screen.tsx';
import { chatHref } from './addresses.ts';
import { useCommands } from './commands.ts';
import { KeyList, keyListOpen } from './key-list.tsx';
import { useKeys } from './keys.ts';
import { Palette, paletteOpen } from './palette.tsx';
import { address, go, select } from './router.ts';
import { title } from './title.ts';
import { LostBar, newRun, newRunAt, TopBar, waitingHref } from './top-bar.tsx';

const PLACES = [
  { keys: 'g c', does: 'Chat', href: '/chat' },
  { keys: 'g r', does: 'Runs', href: '/runs' },
  { keys: 'g a', does: 'Agents', href: '/agents' },
  { keys: 'g t', does: 'Tests', href: '/tests' },
  { keys: 'g w', does: 'What waits for you', href: waitingHref },
] as const;

/** Some places are where they are at the moment. */
const hrefTo = (href: string | (() => string)): string => (typeof href === 'string' ? href : href());

const NewRun = later('tab', () => import('../parts/ask/new-run.tsx').then((one) => one.NewRun));

export const Shell = () => {
  useKeys(useMemo(everywhere, []));
  useCommands(useMemo(() => places, []));
  useEffect(() => {
    document.title = title.value;
  }, [title.value]);
  return (
    <>
      <Sprite />
      <a class="skip boxed paper" href="#main" onClick={skip}>
        Skip to the content
      </a>
      <div class="app frame">
        <TopBar />
        <main id="main" tabIndex={-1}>
          <LostBar />
          <Screen address={address.value} />
          {newRunAt.value !== undefined && (
            <NewRun
              named={newRunAt.value.agent}
              onClose={() => {
                newRunAt.value = undefined;
              }}
            />
          )}
        </main>
      </div>
      <Palette />
      <KeyList />
    </>
  );
};

function skip(event: MouseEvent): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}

const everywhere = () => [
  {
    keys: 'mod+k',
    does: 'search, or run a command',
    run: () => {
      paletteOpen.value = true;
    },
  },
  {
    keys: '?',
    does: 'these keys',
    run: () => {
      keyListOpen.value = true;
    },
  },
  { keys: '/', does: 'filter', run: () => focusFilter() },
  ...PLACES.map(({ keys, does, href }) => ({ keys, does: `go to ${does}`, run: () => go(hrefTo(href)) })),
  { keys: 'n', does: 'new run', run: newRun },
  { keys: 'shift+n', does: 'new chat', run: () => go(chatHref('new')) },
  {
    keys: 'Escape',
    does: 'close, unselect',
    run: () => {
      if (address.value.selected === undefined) return false;
      select(undefined);
      return undefined;
    },
  },
];

const places = () => [
  {
    title: 'Go to',
    order: 5,
    commands: [
      ...PLACES.map(({ keys, does, href }) => ({
        id: does,
        title: does,
        keys,
        kind: 'place' as const,
        run: () => go(hrefTo(href)),
      })),
      { id: 'new-run', title: 'New run', icon: 'play' as const, keys: 'n', kind: 'command' as const, run: newRun },
      {
        id: 'new-chat',
        title: 'New chat',
        icon: 'plus' as const,
        keys: 'shift+n',
        kind: 'command' as const,
        run: () => go(chatHref('new')),
      },
      {
        id: 'keys',
        title: 'Show the keys',
        keys: '?',
        kind: 'command' as const,
        run: () => {
          keyListOpen.value = true;
        },
      },
    ],
  },
];
