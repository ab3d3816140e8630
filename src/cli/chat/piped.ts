// Reads the messages of a pipe as they come: a program may write a line, read the answer, and write the next.

import { fail } from '../../kernel/fault.ts';
import { growingMessages, type Messages } from './messages.ts';

/** The most that one message may hold. Longer material belongs in files that the agent reads. */
const MOST_CHARACTERS = 16 * 1024 * 1024;

export function pipedMessages(stdin: AsyncIterable<Uint8Array> & { destroy(): unknown }): Messages {
  const lines = linesOf(stdin);
  const message = growingMessages();
  let close = (): void => {};
  const closed = new Promise<undefined>((resolve) => {
    close = () => resolve(undefined);
  });
  return {
    async next() {
      for (;;) {
        const line = lines.next();
        const come = await Promise.race([line, closed]);
        if (come === undefined) {
          line.catch(() => {}); // a stream that is closed while it is read rejects, and no caller waits for it any more
          return undefined;
        }
        const { value, done } = come;
        const text = done === true ? (message.isBegun ? message.add('') : undefined) : message.add(value);
        if (text !== undefined && text.trim() !== '') return text;
        if (done === true) return undefined;
      }
    },
    close() {
      close();
      stdin.destroy();
    },
  };
}

async function* linesOf(stdin: AsyncIterable<Uint8Array>): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let rest = '';
  const decode = (chunk?: Uint8Array): string => {
    try {
      return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
    } catch {
      return fail('usage', 'The input from stdin is not text in UTF-8.');
    }
  };
  for await (const chunk of stdin) {
    const parts = (rest + decode(chunk)).split(/\r?\n/);
    rest = parts.pop() ?? '';
    if (rest.length > MOST_CHARACTERS)
      fail('usage', `A message from stdin is longer than ${MOST_CHARACTERS} characters.`);
    yield* parts;
  }
  rest += decode();
  if (rest !== '') yield rest;
  return undefined;
}
