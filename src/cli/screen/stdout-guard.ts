// Keeps stdout for a protocol. Whatever else this process writes there goes to stderr: a function of the user that
// prints something must not break the protocol.

import { Writable } from 'node:stream';

/** The real stdout. From now on `process.stdout` is another name for stderr. */
export function guardStdout(): Writable {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  const real = new Writable({
    decodeStrings: false,
    write: (chunk: string | Uint8Array, _, done) => void write(chunk, (failed) => done(failed)),
  });
  stdout.on('error', (failed) => real.destroy(failed)); // the client is gone
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write;
  return real;
}
