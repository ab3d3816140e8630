// cadre serve: the agents of a folder over HTTP, with the page. Ends on SIGTERM and Ctrl+C in order; on a second one at
// once.

import { resolve } from 'node:path';
import { folderConfig } from '../../definition/read/config/folder-config.ts';
import { EXIT } from '../../kernel/fault.ts';
import { openStore, type StoreOptions, storeOfCadre } from '../lookup/store-place.ts';
import { wholeNumber } from '../lookup/whole-number.ts';
import { goOnWithoutReader, logLine, lostLines } from '../screen/lost-lines.ts';
import { print } from '../screen/output.ts';

export async function serve(
  folder: string,
  options: StoreOptions & {
    readonly host?: string;
    readonly port?: string;
    /** `false` for --no-token. */
    readonly token?: string | false;
    readonly forgetLogins?: boolean;
    /** Only problems are told. */
    readonly quiet?: boolean;
    /** The workers of the store work on the runs. */
    readonly workers?: boolean;
  },
  version: () => string,
): Promise<number> {
  goOnWithoutReader();
  const note = options.quiet === true ? () => {} : logLine;
  const place = storeOfCadre(options, { config: folderConfig(folder), folder: resolve(folder) });
  const store = await openStore(place, logLine);
  await store.list({ limit: 1 }); // one that cannot be reached is told before the address is
  const { openServer } = await import('../../server/open-server.ts');
  const token = options.token ?? process.env['CADRE_TOKEN'];
  const server = await openServer(folder, {
    store,
    dir: place.dir,
    ...(options.host !== undefined && { host: options.host }),
    ...(options.port !== undefined && { port: wholeNumber('--port', options.port, PORT) }),
    ...(token !== undefined && token !== '' && { token }),
    ...(options.forgetLogins === true && { forgetLogins: true }),
    ...(options.workers === true && { work: 'workers' as const }),
    version: version(),
    log: logLine,
    note,
    lostLines,
  });
  note(`serving ${folder}; Ctrl+C ends it`);
  print(server.openUrl);
  await untilAsked(() => server.close(), note);
  await store.close?.();
  return EXIT.answered;
}

const PORT = { least: 0, most: 65_535, says: 'a number from 0 to 65535' };

/** Settles when the server has closed. */
function untilAsked(close: () => Promise<void>, note: (text: string) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    let asked = 0;
    const end = (): void => {
      if (++asked === 1) note('ending: runs at work may go on for a while (once more ends at once)');
      close().then(resolve, reject);
    };
    process.on('SIGINT', end);
    process.on('SIGTERM', end);
  });
}
