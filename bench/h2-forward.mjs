// One HTTP/2 address before several workers, each stream to the next of them: node bench/h2-forward.mjs port …
// Prints its address. A process of its own, as a load balancer is.

import { connect, createServer } from 'node:http2';

const backends = process.argv.slice(2).map((port) => connect(`http://127.0.0.1:${port}`));
let turn = 0;

const server = createServer();
server.on('stream', (stream, headers) => {
  const upstream = backends[turn++ % backends.length].request(headers, { endStream: false });
  upstream.on('response', (answer) => stream.destroyed || stream.respond(answer));
  for (const [one, other] of [
    [stream, upstream],
    [upstream, stream],
  ]) {
    one.on('error', () => other.close());
    one.on('close', () => other.close());
    one.pipe(other);
  }
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
