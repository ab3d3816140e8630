// A screen, or a tab of one, that is no part of the first script: what the first rows do not need must not hold them up.
// It is loaded when it is shown, or before that, as soon as the first rows stand there and the browser has nothing to do.

import { effect } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { link } from '../data/connection.ts';
import { Button } from './controls.tsx';
import { Loading, LoadingScreen } from './loading.tsx';
import { Empty } from './panel.tsx';

/** The parts that are to be loaded ahead. */
const waiting: (() => Promise<unknown>)[] = [];

/** The component that `load` gives, with the same props. `as`: what it fills. */
export function later<Props extends object>(
  as: 'screen' | 'tab' | 'part',
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  const Waiting = as === 'screen' ? LoadingScreen : Loading;
  let Known: ComponentType<Props> | undefined;
  const read = async (): Promise<void> => {
    Known = await load();
  };
  waiting.push(read);
  return (props) => {
    const [state, setState] = useState<'loading' | 'ready' | 'failed'>('loading');
    useEffect(() => {
      if (Known !== undefined) return;
      read().then(
        () => setState('ready'),
        () => setState('failed'),
      );
    }, []);
    useEffect(() => {
      if (state === 'ready') void loadAhead();
    }, [state]);
    useEffect(() => (state === 'failed' ? onceBack(() => void tryAgain()) : undefined), [state]);
    if (Known !== undefined) return <Known {...props} />;
    if (state !== 'failed') return <Waiting />;
    return (
      <Empty
        part={as !== 'screen'}
        title={`This ${as} could not be loaded`}
        actions={<Button onPress={() => void tryAgain()}>Try again</Button>}
      >
        <p>The server may have been updated, or cannot be reached.</p>
      </Empty>
    );
  };
}

/** Calls it when the connection is there again after it was lost. */
function onceBack(call: () => void): () => void {
  let wasLost = false;
  return effect(() => {
    const { state } = link.value;
    if (state === 'reconnecting') wasLost = true;
    else if (state === 'live' && wasLost) call();
  });
}

/**
 * Browsers keep that a script could not be loaded for as long as the page is open, so the page is loaded again. The
 * address says what it shows. Without the server nothing is lost: the page stays as it is.
 */
const tryAgain = (): Promise<void> =>
  fetch(location.pathname).then(
    () => location.reload(),
    () => undefined,
  );

/**
 * Called by whatever a visit begins with, once that can be seen: the rest is loaded when the browser is idle. A click then
 * shows it at once, also without a connection. The first that cannot be loaded ends it: the others may be, when shown.
 */
export async function loadAhead(): Promise<void> {
  for (let load = waiting.shift(); load !== undefined; load = waiting.shift()) {
    await idle(); // what was loaded may have parts that are loaded later in their turn
    const isLoaded = await load().then(
      () => true,
      () => false,
    );
    if (!isLoaded) waiting.length = 0;
  }
}

/** A browser that is busy all the time gets to it as well. */
const PATIENCE_MS = 2000;

const idle = (): Promise<unknown> =>
  new Promise((resolve) => {
    // Safari has no such callback.
    if ('requestIdleCallback' in globalThis) requestIdleCallback(resolve, { timeout: PATIENCE_MS });
    else setTimeout(resolve, 100);
  });
