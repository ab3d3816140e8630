// The end of a list that grows: it is shown first, and followed for as long as the reader is there. Whoever reads further
// up is left where they are, and is told that something came.

import { type RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

const NEAR = 80;

export interface EndOfList {
  readonly box: RefObject<HTMLDivElement | null>;
  readonly content: RefObject<HTMLDivElement | null>;
  readonly hasNews: boolean;
  readonly look: () => void;
  readonly toEnd: () => void;
}

/** `state`: another value means that something came. */
export function useEnd(state: string): EndOfList {
  const box = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const [hasNews, setNews] = useState(false);
  const follow = (): void => {
    const element = box.current;
    if (element !== null && isAtEnd.current) element.scrollTop = element.scrollHeight;
  };
  const look = (): void => {
    const element = box.current;
    if (element === null) return;
    isAtEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight <= NEAR;
    if (isAtEnd.current) setNews(false);
  };
  const toEnd = (): void => {
    isAtEnd.current = true;
    setNews(false);
    follow();
  };
  useLayoutEffect(() => {
    const observer = new ResizeObserver(follow);
    for (const element of [box.current, content.current]) if (element !== null) observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const before = useRef(state);
  useLayoutEffect(() => {
    follow();
    if (before.current !== state && !isAtEnd.current) setNews(true);
    before.current = state;
  }, [state]);
  return { box, content, hasNews, look, toEnd };
}
