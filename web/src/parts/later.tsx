// A screen, or a tab of one, that is loaded when it is first shown: what few visits need is no part of the first script.

import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Button } from './controls.tsx';
import { Loading, LoadingScreen } from './loading.tsx';
import { Empty } from './panel.tsx';

type State<Props> =
  | { readonly kind: 'loading' }
  | { readonly kind: 'ready'; readonly Screen: ComponentType<Props> }
  | { readonly kind: 'failed' };

/** The component that `load` gives, with the same props. `as`: what it fills. */
export function later<Props extends object>(
  as: 'screen' | 'tab',
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  const Waiting = as === 'screen' ? LoadingScreen : Loading;
  let known: ComponentType<Props> | undefined;
  return (props) => {
    const [state, setState] = useState<State<Props>>(
      known === undefined ? { kind: 'loading' } : { kind: 'ready', Screen: known },
    );
    const read = (): void => {
      load().then(
        (Screen) => {
          known = Screen;
          setState({ kind: 'ready', Screen });
        },
        () => setState({ kind: 'failed' }),
      );
    };
    useEffect(() => {
      if (known === undefined) read();
    }, []);
    if (state.kind === 'ready') return <state.Screen {...props} />;
    if (state.kind === 'loading') return <Waiting />;
    return (
      <Empty
        part={as === 'tab'}
        title={`This ${as} could not be loaded`}
        actions={<Button onPress={read}>Try again</Button>}
      >
        <p>The server may have been updated, or cannot be reached.</p>
      </Empty>
    );
  };
}
