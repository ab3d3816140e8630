// A person at this terminal signs in to an MCP server: the address is printed and opened in a browser where there is one, and
// what the browser comes back with is taken here.

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline/promises';
import type { CadreDefinition } from '../../definition/definition.ts';
import type { Engine } from '../../engine/engine.ts';
import { answerSignIns, signInServer, signInsOf, waitingForSignIn } from '../../engine/sign-in/sign-in.ts';
import type { RunStore } from '../../journal/store.ts';
import type { WantedSignIn } from '../../kernel/sign-in.ts';
import type { SignInEndpoint } from '../../tools/mcp/sign-in/server.ts';
import { notify } from '../screen/output.ts';
import { personHere } from '../screen/reader.ts';

export async function signInHere(
  server: SignInEndpoint,
  asked: {
    readonly signal: AbortSignal;
    readonly scopes: readonly string[];
    readonly port?: number | undefined;
    /** The address that the browser was sent to is read from standard input. */
    readonly paste: boolean;
    readonly browser: boolean;
    notice(text: string): void;
  },
): Promise<void> {
  const { signal, scopes, port, paste, browser, notice } = asked;
  const { signInByPerson } = await import('../../tools/mcp/sign-in/by-person.ts');
  await signInByPerson(server, {
    signal,
    scopes,
    port,
    open(address) {
      notice(`Sign in to ${server.name} at:\n\n  ${address.href}\n`);
      if (browser && openBrowser(address)) notice('It was opened in your browser.');
      if (paste) notice('Then paste the address that the browser was sent to, and press Enter.');
      else notice('Waiting for the browser to come back. Ctrl+C gives up.');
    },
    ...(paste && { pasted: lineOfInput }),
  });
}

/** The sign-in that a run of this terminal waits for. Other runs of the store that wait for it go on, too. */
export async function signInForRun(
  { server: name, scopes = [] }: WantedSignIn,
  {
    cadre,
    store,
    engine,
    signal,
  }: {
    readonly cadre: CadreDefinition;
    readonly store: RunStore;
    readonly engine: Engine;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const server = signInServer(name, cadre, signInsOf(store, 'The store'));
  await signInHere(server, { signal, scopes, paste: false, browser: true, notice: notify });
  await answerSignIns(await waitingForSignIn(server, store), engine, personHere());
}

async function lineOfInput(signal: AbortSignal): Promise<string> {
  const lines = createInterface({ input: process.stdin, signal });
  try {
    for await (const line of lines) if (line.trim() !== '') return line;
  } finally {
    lines.close();
  }
  signal.throwIfAborted();
  throw new Error('Standard input ended before an address came.');
}

/** False where no browser is known to be there. */
function openBrowser({ href }: URL): boolean {
  const [command, ...args] = browserCommand();
  if (command === undefined) return false;
  const child = spawn(command, [...args, href], { stdio: 'ignore', detached: true });
  child.on('error', () => {}); // the address stands on the screen
  child.unref();
  return true;
}

function browserCommand(): readonly string[] {
  const { BROWSER, DISPLAY, WAYLAND_DISPLAY, SSH_CONNECTION } = process.env;
  if (BROWSER !== undefined && BROWSER !== '') return [BROWSER];
  if (process.stderr.isTTY !== true || SSH_CONNECTION !== undefined) return [];
  if (process.platform === 'darwin') return ['open'];
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return DISPLAY === undefined && WAYLAND_DISPLAY === undefined ? [] : ['xdg-open'];
}
