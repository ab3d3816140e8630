// A screen that is loaded when it is first shown: what few visits need is no part of the first script.

import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Button } from './controls.tsx';
import { Loading } from './loading.tsx';
import { Empty } from './panel.tsx';

type State<Props> =
  | { readonly kind: 'loading' }
  | { readonly kind: 'ready'; readonly Screen: ComponentType<Props> }
  | { readonly kind: 'failed' };

/** The component that `load` gives, with the same props. */
export function later<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
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
    if (state.kind === 'loading') return <Loading />;
    return (
      <Empty title="This screen could not be loaded" actions={<Button onPress={read}>Try again</Button>}>
        <p>The server may have been updated, or cannot be reached.</p>
      </Empty>
    );
  };
}
