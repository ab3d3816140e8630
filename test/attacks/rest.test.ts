// REST tools: inputs that try to be more than values, and servers that leave HTTP.

import { createServer as createHttpServer, type Server } from 'node:http';
import { type AddressInfo, createServer, type Server as TcpServer } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { type Folder, folderWith } from '../support/cli.ts';

let server: Server | TcpServer | undefined;
let folder: Folder | undefined;
afterEach(async () => {
  folder?.remove();
  await new Promise((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve)));
  server = undefined;
});

async function listening(made: Server | TcpServer): Promise<string> {
  server = made;
  await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(made.address() as AddressInfo).port}`;
}

/** A clerk who calls the tool `books` once with each of these inputs, and answers with the last result. */
function clerkWith(url: string, inputs: readonly object[], more = ''): Folder {
  folder = folderWith({
    'cadre.yaml':
      'providers: { demo: { kind: scripted, script: ./s.yaml } }\ndefaults: { models: [demo/m] }\n' +
      `restTools:\n  books: { description: d, method: GET, url: "${url}", allowPrivate: true${more},\n    input: { schema: { type: object, properties: { q: { type: string } } } } }\n`,
    'clerk.md': '---\ndescription: d\ntools: [rest:books]\n---\nYou work.\n',
    's.yaml': JSON.stringify({
      agents: { clerk: [...inputs.map((input) => ({ call: { books: input } })), { answer: '{{last}}' }] },
    }),
  });
  return folder;
}

test('no input becomes a second parameter of a name that the query fixes', async () => {
  const asked: string[] = [];
  const origin = await listening(
    createHttpServer((request, response) => {
      asked.push(request.url ?? '');
      response.end('{}');
    }),
  );
  const wrong = [{ account: 'theirs' }, { Account: 'theirs' }, { 'account[]': 'theirs' }, { 'account%5B0%5D': 'x' }];
  const right = [{ q: 'a&account=theirs' }, { title: 'a&account=theirs#x' }];
  const clerk = clerkWith(`${origin}/books?account=mine&q={q}`, [
    ...wrong.map((one) => ({ q: 'x', ...one })),
    ...right.map((one) => ({ q: 'x', ...one })),
  ]);
  const { exit } = await clerk.cadre(['run', 'clerk', 'go']);
  expect(exit).toBe(0);
  expect(asked).toEqual([
    '/books?account=mine&q=a%26account%3Dtheirs',
    '/books?account=mine&q=x&title=a%26account%3Dtheirs%23x',
  ]);
  const told = JSON.stringify(clerk.journal().filter(({ type }) => type === 'op-end'));
  expect(told.match(/is fixed in the address of this tool\. Leave it out\./g)).toHaveLength(wrong.length);
});

test('the name of a query parameter cannot be an input', async () => {
  const clerk = clerkWith('http://127.0.0.1:9/books?{q}=1', [{ q: 'account' }]);
  const { exit, stderr } = await clerk.cadre(['run', 'clerk', 'go']);
  expect([exit, stderr]).toEqual([1, expect.stringContaining('as the name of a query parameter')]);
});

test('an answer that changes the protocol is an error at once, and its connection is closed', async () => {
  let closed: () => void = () => {};
  const isClosed = new Promise<void>((resolve) => (closed = resolve));
  const origin = await listening(
    createServer((socket) => {
      socket.on('error', () => {}); // it is cut off
      socket.on('close', closed);
      socket.once('data', () =>
        socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: other\r\nconnection: upgrade\r\n\r\n'),
      );
    }),
  );
  const clerk = clerkWith(`${origin}/books`, [{}], ', timeout: 60s');
  const { exit, stdout } = await clerk.cadre(['run', 'clerk', 'go']);
  expect([exit, stdout]).toEqual([0, 'The server answered 101, a protocol other than HTTP.\n']);
  await isClosed;
});
