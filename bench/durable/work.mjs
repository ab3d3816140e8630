// One process of the durable comparison: node work.mjs <peer> <workload> <folder> <start|resume> <run> <url>. It tells
// the url of every call before it answers it, and prints the answer of the run. It is what is killed.

import http from 'node:http';

const [peer, workload, dir, how, run, url] = process.argv.slice(2);
const agent = new http.Agent({ keepAlive: true });

/** Returns when the counter, which is another process, lets the call end. */
const made = (call) =>
  new Promise((resolve, reject) => {
    const request = http.request(url, { method: 'POST', agent }, (response) => {
      response.resume();
      response.on('end', resolve);
    });
    request.on('error', reject);
    request.end(call);
  });

const { open } = await import(`./${peer}.mjs`);
const opened = await open(workload, { dir, made });
if (how === 'start') await opened.register?.();
let said;
try {
  said = { text: await opened[how](run) };
} catch (error) {
  said = { error: error.message };
}
process.stdout.write(`${JSON.stringify(said)}\n`, () => process.exit(0));
