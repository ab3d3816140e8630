// Starts the page: the address, the keyboard, the streams, and the shell.

import { render } from 'preact';
import { startKeys } from './app/keys.ts';
import { startRouter } from './app/router.ts';
import { Shell } from './app/shell.tsx';
import { startApprovals } from './data/approvals.ts';
import { startCadre } from './data/cadre.ts';
import { startOutbox } from './data/outbox.ts';
import { startServerStream } from './data/server-stream.ts';

startRouter();
startKeys();
startCadre();
startApprovals();
startServerStream();
startOutbox();
render(<Shell />, document.getElementById('page') as HTMLElement);
