// The icons of the page: drawn on a grid of 16, stroke 1.7, in one sprite that the shell holds.

import type { ComponentChildren } from 'preact';

const SHAPES = {
  clip: (
    <path d="M12.6 7.4L7.8 12.2a2.9 2.9 0 0 1-4.1-4.1l5-5a1.9 1.9 0 0 1 2.700 2.700l-4.900 4.900a.9.9 0 0 1-1.300-1.300l4.300-4.300" />
  ),
  mark: (
    <>
      <path d="M2 5.5V2h3.5M10.5 2H14v3.5M14 10.5V14h-3.5M5.5 14H2v-3.5" />
      <path d="M6 6h4v4H6z" fill="currentColor" stroke="none" />
    </>
  ),
  answered: <path d="M3.2 8.6l3.1 3.1 6.5-7.2" />,
  routed: <path d="M2.5 8h10.6M9.4 4.4L13 8l-3.6 3.6" />,
  left: <path d="M8 2.8H3.2v10.4H8M6.6 8h6.8M10.6 5.2L13.4 8l-2.8 2.8" />,
  exhausted: <path d="M4 2.5h8M4 13.5h8M5 2.5c0 3.2 6 4.4 6 11M11 2.5c0 3.2-6 4.4-6 11" />,
  'over-budget': (
    <>
      <circle cx="8" cy="8" r="5.8" />
      <path d="M9.9 6.1c-.5-.9-3.8-1.1-3.8.7s3.9.8 3.9 2.6-3.4 1.6-4 .5M8 3.9v8.2" stroke-width="1.3" />
    </>
  ),
  'timed-out': (
    <>
      <circle cx="8" cy="8" r="5.8" />
      <path d="M8 4.7V8l2.4 1.5" />
    </>
  ),
  refused: (
    <>
      <circle cx="8" cy="8" r="5.4" />
      <path d="M4.2 11.8l7.6-7.6" />
    </>
  ),
  cancelled: <rect x="3.6" y="3.6" width="8.8" height="8.8" rx="1.2" />,
  failed: <path d="M4 4l8 8M12 4l-8 8" stroke-width="2" />,
  running: <path d="M8 2.4a5.6 5.6 0 1 1-5.2 3.5" stroke-width="2" />,
  'in-doubt': <path d="M5.4 5.6c.1-3.6 5.5-3.2 5.2-.1C10.4 7.6 8 7.6 8 9.7M8 12.9v.1" stroke-width="2" />,
  'broken-off': <path d="M1.8 8h3.6l1.5-2.6M14.2 8h-3.6l-1.5 2.6M8.8 3.4l-1.6 9.2" stroke-width="1.6" />,
  person: (
    <>
      <circle cx="8" cy="5.2" r="2.7" />
      <path d="M2.8 13.6c.5-5 9.9-5 10.4 0" />
    </>
  ),
  waiting: <path d="M5.6 4v8M10.4 4v8" />,
  queued: <path d="M3 5h10M3 8h10M3 11h6" />,
  search: (
    <>
      <circle cx="7" cy="7" r="4.2" />
      <path d="M10.2 10.2L13.6 13.6" />
    </>
  ),
  fork: (
    <>
      <circle cx="4" cy="3.6" r="1.6" />
      <circle cx="12" cy="3.6" r="1.6" />
      <circle cx="4" cy="12.4" r="1.6" />
      <path d="M4 5.2v5.6M12 5.2c0 3.4-8 2-8 5.6" />
    </>
  ),
  replay: <path d="M3 8a5 5 0 1 0 1.6-3.7L3 5.8M3 2.6v3.2h3.2" />,
  skip: <path d="M3 4l4.5 4L3 12M8.5 4L13 8l-4.5 4" />,
  play: <path d="M4.6 3l8 5-8 5z" />,
  copy: (
    <>
      <rect x="5.4" y="5.4" width="7.6" height="7.6" rx="1" />
      <path d="M10.4 5.2V3H3v7.4h2.2" />
    </>
  ),
  link: (
    <path d="M6.6 9.4l2.8-2.8M7.2 4.8l1.5-1.5a2.8 2.8 0 0 1 4 4l-1.5 1.5M8.8 11.2l-1.5 1.5a2.8 2.8 0 0 1-4-4l1.5-1.5" />
  ),
  more: <path d="M3.2 8h.1M8 8h.1M12.8 8h.1" stroke-width="2.4" />,
  diff: <path d="M5 2.6v10.8M2.6 5H7.4M11 13.4V2.6M8.8 11h4.6" />,
  file: <path d="M4 2h5l3 3v9H4zM9 2v3h3" />,
  warn: <path d="M8 2.4l6 11H2zM8 6.6v3M8 11.6v.1" />,
  send: <path d="M8 13V3.4M4 7.2l4-4 4 4" />,
  down: <path d="M8 3v9.6M4 8.8l4 4 4-4" />,
  up: <path d="M8 12.6V3M4 6.8l4-4 4 4" />,
  back: <path d="M13 8H3.4M7.2 4l-4 4 4 4" />,
  close: <path d="M4 4l8 8M12 4l-8 8" />,
  plus: <path d="M8 3v10M3 8h10" />,
  pencil: <path d="M3 13l.7-3L10.8 2.9l2.3 2.3L6 12.3z" />,
  previous: <path d="M10 3.5L5.5 8l4.5 4.5" />,
  following: <path d="M6 3.5L10.5 8 6 12.5" />,
  enter: <path d="M8 2.8h4.8v10.4H8M2.6 8h6.6M6.2 4.9L9.3 8l-3.1 3.1" />,
  opens: <path d="M4 6l4 4 4-4" />,
  eye: (
    <>
      <path d="M1.8 8c2.6-5 9.8-5 12.4 0-2.6 5-9.8 5-12.4 0z" />
      <circle cx="8" cy="8" r="1.8" />
    </>
  ),
  chat: <path d="M2.5 3h11v8H8l-3.2 2.6V11H2.5z" />,
  saved: <path d="M4 2.6h8v11L8 10.4 4 13.6z" />,
  good: (
    <path d="M2.4 7.2h2.4v6H2.4zM4.8 7.2L7.6 2.4c1.5 0 1.8 1 1.5 2.2l-.5 2.2h3.6c1 0 1.5.8 1.3 1.6l-1 4c-.2.6-.6.8-1.2.8H4.8" />
  ),
  bad: (
    <path d="M2.4 8.8h2.4v-6H2.4zM4.8 8.8l2.8 4.8c1.5 0 1.8-1 1.5-2.2l-.5-2.2h3.6c1 0 1.5-.8 1.3-1.6l-1-4c-.2-.6-.6-.8-1.2-.8H4.8" />
  ),
  test: <path d="M6.2 2.4h3.6M7 2.4v4L3.4 12.6c-.3.6 0 1 .6 1h8c.6 0 .9-.4.6-1L9 6.4v-4M5 10h6" />,
  undo: <path d="M3 6h6.5a3.5 3.5 0 0 1 0 7H6M5.8 3L3 6l2.8 3" />,
} as const satisfies Readonly<Record<string, ComponentChildren>>;

export type IconName = keyof typeof SHAPES;

const idOf = (name: string): string => `icon-${name}`;

export const Sprite = () => (
  <svg width="0" height="0" class="sr" aria-hidden="true">
    {Object.entries(SHAPES).map(([name, shape]) => (
      <symbol key={name} id={idOf(name)} viewBox="0 0 16 16">
        {shape}
      </symbol>
    ))}
  </svg>
);

/** An icon never stands alone: a word beside it, or the label of its button, says the same. */
export const Icon = ({ name, spin = false }: { readonly name: IconName; readonly spin?: boolean }) => (
  <svg class={spin ? 'i spin' : 'i'} aria-hidden="true">
    <use href={`#${idOf(name)}`} />
  </svg>
);
