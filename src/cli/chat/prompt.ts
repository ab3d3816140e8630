// The prompt of a chat in a terminal: a line that can be edited, earlier lines with the arrow keys, several lines in
// one message.
// PROMPT-1. The keyboard is read only while a message is asked for. In between the terminal is as it was, so that
//           Ctrl+C is a signal and questions about tools have the keyboard to themselves.
// PROMPT-2. A pasted block is one message: its line breaks do not send it. The terminal marks what is pasted.
// PROMPT-3. Ctrl+C drops what was typed. At an empty prompt it says how to leave, and a second one leaves.

import { createInterface, type Interface, type Key } from 'node:readline';
import { growingMessages, type Messages } from './messages.ts';

const MARK_PASTES = '\u001b[?2004h';
const MARK_NOTHING = '\u001b[?2004l';
const GOES_ON = '… ';
const MOST_EARLIER = 500;

export function promptedMessages(
  stdin: NodeJS.ReadStream,
  screen: NodeJS.WriteStream,
  {
    label,
    earlier,
    hint,
  }: {
    readonly label: string;
    /** The messages that the arrow keys bring back, newest first. */
    readonly earlier: readonly string[];
    /** Gets a line that is not a message. */
    hint(text: string): void;
  },
): Messages {
  let history: string[] = [...earlier];
  let asking: Interface | undefined;
  let isClosed = false;

  const ask = (): Promise<string | undefined> => {
    const line = createInterface({
      input: stdin,
      output: screen,
      terminal: true,
      prompt: label,
      history: [...history],
      historySize: MOST_EARLIER,
      removeHistoryDuplicates: true,
    });
    const message = growingMessages();
    let isPasting = false;
    let isLeaving = false;
    const key = (_text: string | undefined, { name, ctrl }: Key): void => {
      if (name === 'paste-start') isPasting = true;
      if (name === 'paste-end') isPasting = false;
      if (!(ctrl === true && name === 'c')) isLeaving = false;
    };
    const show = (): void => {
      line.setPrompt(message.isBegun ? GOES_ON : label);
      line.prompt();
    };
    asking = line;
    stdin.on('keypress', key);
    screen.write(MARK_PASTES);
    return new Promise<string | undefined>((resolve) => {
      let said: string | undefined;
      line.on('history', (lines: string[]) => {
        history = [...lines];
      });
      line.on('line', (text) => {
        said = message.add(text, isPasting); // PROMPT-2
        if (said === undefined || said.trim() === '') show();
        else line.close();
      });
      line.on('SIGINT', () => {
        const isEmpty = line.line === '' && !message.isBegun;
        if (isEmpty && isLeaving) return line.close();
        isLeaving = isEmpty; // PROMPT-3
        line.write(null, { ctrl: true, name: 'e' });
        line.write(null, { ctrl: true, name: 'u' });
        message.drop();
        screen.write('\n');
        if (isEmpty) hint('Ctrl+C again, Ctrl+D or /quit leaves.');
        show();
      });
      line.on('close', () => {
        asking = undefined;
        stdin.off('keypress', key);
        screen.write(MARK_NOTHING);
        const isSaid = said !== undefined && said.trim() !== '';
        if (!isSaid) screen.write('\n');
        resolve(isSaid ? said : undefined);
      });
      show();
    });
  };
  return {
    next: () => (isClosed ? Promise.resolve(undefined) : ask()),
    close() {
      isClosed = true;
      asking?.close();
    },
  };
}
