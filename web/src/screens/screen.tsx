// The screen that an address shows. A new screen gets its folder here and its row below.

import type { Address } from '../app/addresses.ts';
import { LinkButton } from '../parts/controls.tsx';
import { later } from '../parts/later.tsx';
import { Empty } from '../parts/panel.tsx';
import { RunScreen } from './run/screen.tsx';
import { RunsScreen } from './runs/screen.tsx';

// A visit begins with the runs or with one of them: the rest is no part of the first script.
const AgentsAndStart = later('screen', () => import('./agents-and-start.tsx').then((one) => one.AgentsAndStart));
const ApprovalsScreen = later('screen', () => import('./approvals/screen.tsx').then((one) => one.ApprovalsScreen));
const ChatScreen = later('screen', () => import('./chat/screen.tsx').then((one) => one.ChatScreen));
const DiffScreen = later('screen', () => import('./diff/screen.tsx').then((one) => one.DiffScreen));
const WhatIfScreen = later('screen', () => import('./what-if/screen.tsx').then((one) => one.WhatIfScreen));
const TestsScreen = later('screen', () => import('./tests/screen.tsx').then((one) => one.TestsScreen));
const TestScreen = later('screen', () => import('./tests/result.tsx').then((one) => one.TestScreen));

export const Screen = ({ address }: { readonly address: Address }) => {
  const { place } = address;
  switch (place.screen) {
    case 'runs':
      return <RunsScreen address={address} />;
    case 'run':
      return <RunScreen key={place.run} run={place.run} tab={place.tab} address={address} />;
    case 'diff':
      return <DiffScreen key={`${place.left} ${place.right}`} left={place.left} right={place.right} />;
    case 'what-if':
      return <WhatIfScreen key={place.run} run={place.run} address={address} />;
    case 'agents':
      return <AgentsAndStart starts={false} agent={place.agent} address={address} />;
    case 'start':
      return <AgentsAndStart starts agent={place.agent} address={address} />;
    case 'approvals':
      return <ApprovalsScreen run={place.run} address={address} />;
    case 'tests':
      return place.test === undefined ? (
        <TestsScreen address={address} />
      ) : (
        <TestScreen key={place.test} test={place.test} address={address} />
      );
    case 'chat':
      return <ChatScreen thread={place.thread} address={address} />;
    case 'unknown':
      return (
        <Empty title="There is nothing at this address" actions={<LinkButton href="/runs">To the runs</LinkButton>}>
          <p class="mono">{place.path}</p>
        </Empty>
      );
  }
};
