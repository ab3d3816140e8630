// cadre verify: replays a run that stands in a file, with what is in it alone.

import { readRegularText, UnusableFile } from '../../../base/disk/regular.ts';
import { verifyRun } from '../../../engine/run-file/verify-run.ts';
import { EXIT, fail } from '../../../kernel/fault.ts';
import { replayText } from '../../render/replay-result.ts';
import { notify, print } from '../../screen/output.ts';
import { paintFor } from '../../screen/terminal.ts';

/** Twice what is ever written. */
const MOST_BYTES = 40 * 1024 * 1024;

export async function verify(file: string, _options: object, version: () => string): Promise<number> {
  const verified = await verifyRun(read(file), { name: file, version: version() });
  if (verified.kind === 'changed') {
    print(`${paintFor(process.stdout)('error', 'changed')}: ${file} is not as it was written, from ${verified.what}`);
    return EXIT.failed;
  }
  const { result, events, state, redactedLate, otherVersion } = verified;
  print(replayText({ result, events, upTo: state === 'live' ? 'it was exported' : 'it was broken off' }));
  if (otherVersion !== undefined)
    notify(
      `Cadre ${otherVersion} wrote ${file}: its record was replayed, and what it shows was not compared with that.`,
    );
  if (redactedLate && result.kind === 'different')
    notify('Secrets were taken out of it as it was written, so that what was told with them cannot be the same.');
  return result.kind === 'identical' ? EXIT.answered : EXIT.failed;
}

function read(file: string): string {
  try {
    return readRegularText(file, { maxBytes: MOST_BYTES });
  } catch (thrown) {
    if (thrown instanceof UnusableFile) return fail('usage', `${thrown.message}: cadre export writes no such file.`);
    const { code, message } = thrown as NodeJS.ErrnoException;
    return fail('usage', code === 'ENOENT' ? `There is no file ${file}.` : `${file} cannot be read: ${message}.`);
  }
}
