// cadre sign-in and cadre sign-out: who is signed in to which MCP server, and a sign-in for all runs of the store.

import { readRegularText } from '../../base/disk/regular.ts';
import { type CadreDefinition, CONFIG_FILE } from '../../definition/definition.ts';
import { readConfig } from '../../definition/read/config/config.ts';
import { openEngine } from '../../engine/open.ts';
import {
  answerSignIns,
  type SignInState,
  signInServer,
  signInStates,
  signInsOf,
  toolsWithSignIn,
  waitingForSignIn,
} from '../../engine/sign-in/sign-in.ts';
import type { RunStore } from '../../journal/store.ts';
import { EXIT, fail } from '../../kernel/fault.ts';
import type { SignInEndpoint } from '../../tools/mcp/sign-in/server.ts';
import { dayAndTime, plural } from '../../views/amounts.ts';
import { configFolder, openStore, type StoreOptions, type StorePlace, storeOfCadre } from '../lookup/store-place.ts';
import { signInHere } from '../person/sign-in-here.ts';
import { table } from '../render/table.ts';
import { notify, print, printJson } from '../screen/output.ts';
import { personHere } from '../screen/reader.ts';
import { columnsOf } from '../screen/terminal.ts';

export interface SignOutOptions extends StoreOptions {
  readonly dir?: string;
}

export interface SignInOptions extends SignOutOptions {
  readonly scope?: readonly string[];
  readonly port?: string;
  readonly paste?: boolean;
  readonly browser?: boolean;
  readonly json?: boolean;
}

type ConfiguredCadre = Pick<CadreDefinition, 'config' | 'folder'>;

export async function signIn(name: string | undefined, options: SignInOptions): Promise<number> {
  const cadre = configured(options);
  const place = storeOfCadre(options, cadre);
  const store = await openStore(place, notify);
  try {
    if (name === undefined) return await list(cadre, place, store, options);
    const server = signInServer(name, cadre, signInsOf(store, place.shown));
    return await signInAndAnswer(server, { store, place, options });
  } finally {
    await store.close?.();
  }
}

async function signInAndAnswer(
  server: SignInEndpoint,
  { store, place, options }: { readonly store: RunStore; readonly place: StorePlace; readonly options: SignInOptions },
): Promise<number> {
  const stop = new AbortController();
  const interrupt = (): void => stop.abort(new Error('The sign-in was given up.'));
  process.once('SIGINT', interrupt);
  try {
    const waiting = await waitingForSignIn(server, store);
    await signInHere(server, {
      signal: stop.signal,
      scopes: [...(options.scope ?? []), ...waiting.flatMap(({ scopes }) => scopes)],
      port: portOf(options),
      paste: options.paste === true,
      browser: options.browser !== false,
      notice: notify,
    });
    print(`Signed in to ${server.name}. It offers ${plural(await toolsWithSignIn(server, stop.signal), 'tool')}.`);
    const engine = await openEngine(undefined, { store, dir: place.dir, warn: notify });
    const answered = await answerSignIns(await waitingForSignIn(server, store), engine, personHere());
    if (answered > 0) notify(`${plural(answered, 'run')} that waited for it may go on.`);
    return EXIT.answered;
  } catch (thrown) {
    if (!stop.signal.aborted) throw thrown;
    notify('The sign-in was given up.');
    return EXIT.cancelled;
  } finally {
    process.off('SIGINT', interrupt);
  }
}

function portOf({ port }: SignInOptions): number | undefined {
  if (port === undefined) return undefined;
  const number = Number(port);
  if (/^\d+$/.test(port) && number >= 1 && number <= 65_535) return number;
  return fail('usage', `--port takes a number from 1 to 65535, not ${JSON.stringify(port)}.`);
}

export async function signOutOf(name: string, options: SignOutOptions): Promise<number> {
  const cadre = configured(options);
  const place = storeOfCadre(options, cadre);
  const store = await openStore(place, notify);
  try {
    const server = signInServer(name, cadre, signInsOf(store, place.shown));
    const { signOut } = await import('../../tools/mcp/sign-in/sign-out.ts');
    const out = await signOut(server);
    if (out.kind === 'nobody') print(`Nobody is signed in to ${name} in ${place.shown}.`);
    else if (out.kind === 'revoked') print(`Signed out of ${name}.`);
    else print(`Signed out of ${name} here. Its tokens may be good until they end: ${out.why}`);
    return EXIT.answered;
  } finally {
    await store.close?.();
  }
}

async function list(
  cadre: ConfiguredCadre,
  place: StorePlace,
  store: RunStore,
  { json }: SignInOptions,
): Promise<number> {
  const states = await signInStates(cadre, signInsOf(store, place.shown));
  if (json === true) printJson(JSON.stringify({ servers: states }, null, 2));
  else if (states.length === 0) notify('No MCP server in cadre.yaml has auth.');
  else print(table(COLUMNS, states.map(rowOf), columnsOf(process.stdout)).join('\n'));
  return EXIT.answered;
}

const COLUMNS = [
  { title: 'SERVER' },
  { title: 'STATE' },
  { title: 'SINCE' },
  { title: 'SCOPES' },
  { title: 'ADDRESS', flexible: true as const },
];

const rowOf = (state: SignInState): readonly string[] => [
  state.server,
  stateWords(state),
  state.signedInAt === undefined ? '' : dayAndTime(state.signedInAt),
  state.scope ?? '',
  state.url,
];

function stateWords({ state, until, server }: SignInState): string {
  switch (state) {
    case 'signed-in':
      return until === undefined ? 'signed in' : `signed in until ${dayAndTime(until)}`;
    case 'expired':
      return `over: cadre sign-in ${server}`;
    case 'signed-out':
      return `nobody: cadre sign-in ${server}`;
    case 'own':
      return 'signs in by itself';
  }
}

/** The nearest cadre.yaml, which has to be sound: what it says of a server decides where a token goes. */
function configured({ dir }: SignOutOptions): ConfiguredCadre {
  const folder = configFolder(dir);
  if (folder === undefined) return fail('usage', `There is no cadre.yaml in ${dir ?? 'this folder'} or above it.`);
  const text = readRegularText(`${folder}/${CONFIG_FILE}`, { maxBytes: MAX_FILE_BYTES });
  const errors: string[] = [];
  const { config } = readConfig({ file: CONFIG_FILE, text }, folder, ({ severity = 'error', message }) => {
    if (severity === 'error') errors.push(message);
  });
  if (errors.length > 0) fail('config/invalid', `${folder}/${CONFIG_FILE}: ${errors[0]}. See: cadre check ${folder}`);
  return { config, folder };
}

const MAX_FILE_BYTES = 1_048_576;
