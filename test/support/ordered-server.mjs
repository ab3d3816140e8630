// The process around a server of the tests. It prints one line of JSON when the server can be used. Lines on standard
// input are orders, `crash` and `start`; each is answered by a line of JSON. The end of the input ends the server, so it
// also goes when the process that asked for it is killed.

import { createInterface } from 'node:readline';

export async function serveOrders({ open, crash, start, stop }) {
  try {
    say(await open());
  } catch (thrown) {
    say({ error: thrown instanceof Error ? thrown.message : String(thrown) });
    process.exit(1);
  }
  const orders = { crash, start };
  const input = createInterface({ input: process.stdin });
  input.on('line', (line) => {
    const done = orders[line]?.() ?? Promise.reject(new Error(`no order ${line}`));
    done.then(
      () => say({ done: line }),
      (thrown) => say({ error: String(thrown) }),
    );
  });
  input.on('close', () => {
    void stop().finally(() => process.exit(0));
    setTimeout(() => process.exit(1), 5000).unref();
  });
}

const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
