// The place on this machine to which a browser returns after a sign-in. It listens on loopback alone, takes one answer with
// the state of this sign-in, and says nothing of it to any other page.

import { createServer, type Server } from 'node:http';
import { fail } from '../../../kernel/fault.ts';

const PATH = '/callback';

export interface Callback {
  readonly port: number;
  readonly redirectUrl: string;
  /** The parameters of the returned address. Rejects when the signal is aborted. */
  answer(signal: AbortSignal): Promise<URLSearchParams>;
  close(): void;
}

/** Undefined if the port is taken. */
export async function listenForCallback(state: string, port: number): Promise<Callback | undefined> {
  let arrived: (parameters: URLSearchParams) => void = () => {};
  const answered = new Promise<URLSearchParams>((resolve) => (arrived = resolve));
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const isIt = request.method === 'GET' && url.pathname === PATH && url.searchParams.get('state') === state;
    response.writeHead(isIt ? 200 : 404, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
    const isRefused = url.searchParams.has('error');
    response.end(isIt ? (isRefused ? REFUSED : DONE) : 'There is nothing here.\n');
    if (isIt) arrived(url.searchParams);
  });
  const isListening = await listening(server, port);
  if (!isListening) return undefined;
  const address = server.address();
  const taken = typeof address === 'object' && address !== null ? address.port : port;
  return {
    port: taken,
    redirectUrl: redirectAddress(taken),
    answer: (signal) => Promise.race([answered, stopped(signal)]),
    close() {
      server.close();
      server.closeIdleConnections();
    },
  };
}

const DONE = 'You have signed in. Cadre goes on; this page can be closed.\n';
const REFUSED = 'The sign-in was refused. Cadre says why; this page can be closed.\n';

const redirectAddress = (port: number): string => `http://127.0.0.1:${port}${PATH}`;

function listening(server: Server, port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    server.once('error', (thrown: NodeJS.ErrnoException) =>
      thrown.code === 'EADDRINUSE' ? resolve(false) : reject(thrown),
    );
    server.listen(port, '127.0.0.1', () => resolve(true));
  });
}

const stopped = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const stop = (): void => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });

/** The parameters of an address that a person copied from their browser. */
export function pastedParameters(pasted: string, state: string): URLSearchParams {
  const text = pasted.trim();
  const search = URL.canParse(text) ? new URL(text).searchParams : new URLSearchParams(text.replace(/^\?/, ''));
  if (!search.has('code') && !search.has('error'))
    fail('usage', 'This is not the address that the browser was sent to at the end of the sign-in: it has no code.');
  if (search.get('state') !== state)
    fail(
      'usage',
      'This address belongs to another sign-in. Open the address that was printed, and paste what follows it.',
    );
  return search;
}
