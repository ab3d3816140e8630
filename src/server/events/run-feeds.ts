// The runs that somebody reads at the moment. A feed is opened for the first reader of a run and closed after the last.

import type { ServerResponse } from 'node:http';
import type { RunId } from '../../journal/event.ts';
import type { RunFeeds } from '../context.ts';
import { type FeedParts, RunFeed } from './run-feed.ts';
import { endRefused, openSse } from './sse.ts';

/** The pause between two heartbeats, which tell readers who works on the run. */
const HEARTBEAT_MS = 5000;

export function openRunFeeds(parts: FeedParts): RunFeeds {
  const feeds = new Map<RunId, { readonly feed: RunFeed; readonly opened: Promise<void>; users: number }>();
  const outgoings = new Set<ServerResponse>();
  let timer: NodeJS.Timeout | undefined;
  const beat = (): void => {
    for (const { feed } of feeds.values())
      feed.look().catch((thrown: unknown) => parts.log(`Run ${feed.run} cannot be looked at: ${String(thrown)}`));
  };
  const opened = (run: RunId) => {
    const known = feeds.get(run);
    if (known !== undefined) return known;
    const feed = new RunFeed(run, parts);
    const made = { feed, opened: feed.open(), users: 0 };
    feeds.set(run, made);
    timer ??= setInterval(beat, HEARTBEAT_MS).unref();
    return made;
  };
  const leave = (run: RunId): void => {
    const known = feeds.get(run);
    if (known === undefined || --known.users > 0) return;
    feeds.delete(run);
    if (feeds.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
  return {
    get readers() {
      return outgoings.size;
    },
    observe: (run) => ({
      event: (event) => feeds.get(run)?.feed.event(event),
      live: (event) => feeds.get(run)?.feed.live(event),
    }),
    async read(run, from, outgoing, lost) {
      const { feed, opened: ready } = usedBy(opened(run));
      try {
        await ready;
      } catch (thrown) {
        leave(run);
        throw thrown;
      }
      if (feed.isOverAt(from)) {
        leave(run);
        return 'over';
      }
      if (outgoing.destroyed) {
        leave(run);
        return 'sending'; // the reader has gone meanwhile
      }
      let remove = (): void => {};
      const sse = openSse(outgoing, () => {
        outgoings.delete(outgoing);
        remove();
        leave(run);
      });
      outgoings.add(outgoing);
      remove = feed.add(sse, from);
      const refuse = (): void => {
        remove();
        endRefused(sse, lost);
      };
      if (lost.aborted) refuse();
      else lost.addEventListener('abort', refuse, { once: true });
      return 'sending';
    },
    close() {
      clearInterval(timer);
      for (const outgoing of outgoings) outgoing.end();
    },
  };
}

function usedBy<Feed extends { users: number }>(feed: Feed): Feed {
  feed.users++;
  return feed;
}
