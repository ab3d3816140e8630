// Reads a stream of server-sent events from text that arrives in pieces. Pure: it knows nothing of connections.

export interface ServerEvent {
  /** `message` where the stream names none. */
  readonly type: string;
  readonly data: string;
  /** The number to go on from, if this event has one. */
  readonly id?: string;
}

export interface SseParser {
  /** The events that are complete now. */
  push(text: string): readonly ServerEvent[];
}

export function sseParser(): SseParser {
  let rest = '';
  let type = '';
  let id: string | undefined;
  let data: string[] = [];

  const end = (): ServerEvent | undefined => {
    const event =
      data.length === 0
        ? undefined
        : { type: type === '' ? 'message' : type, data: data.join('\n'), ...(id !== undefined && { id }) };
    [type, id, data] = ['', undefined, []];
    return event;
  };
  const field = (line: string): void => {
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'event') type = value;
    else if (name === 'data') data.push(value);
    else if (name === 'id' && !value.includes('\0')) id = value;
  };
  return {
    push(text) {
      rest += text;
      const found: ServerEvent[] = [];
      const lines = rest.split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (line === '') {
          const event = end();
          if (event !== undefined) found.push(event);
        } else if (!line.startsWith(':')) field(line);
      }
      return found;
    },
  };
}
