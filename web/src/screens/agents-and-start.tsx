// The agents, and over them the dialog that starts one. Both are loaded together: the dialog is never seen without them.

import type { Address } from '../app/addresses.ts';
import { AgentsScreen } from './agents/screen.tsx';
import { StartScreen } from './start/screen.tsx';

type Props = { readonly address: Address } & (
  | { readonly starts: false; readonly agent: string | undefined }
  | { readonly starts: true; readonly agent: string }
);

export const AgentsAndStart = (props: Props) => (
  <>
    <AgentsScreen agent={props.agent} address={props.address} />
    {props.starts && <StartScreen key={props.agent} agent={props.agent} address={props.address} />}
  </>
);
