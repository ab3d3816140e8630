// One part in one state, with the name of both above it.

import type { ComponentChildren } from 'preact';

export interface Specimens {
  readonly id: string;
  readonly title: string;
  /** `wide`: each has the width of a screen. */
  readonly width: 'narrow' | 'wide';
  /** The parts by their names and states. */
  readonly of: Readonly<Record<string, ComponentChildren>>;
}

export const Parts = ({ id, title, width, of }: Specimens) => (
  <section id={id} class={`specimens ${width}`}>
    <h2>{title}</h2>
    {Object.entries(of).map(([name, part]) => (
      <figure key={name} class="specimen">
        <figcaption>{name}</figcaption>
        {part}
      </figure>
    ))}
  </section>
);

export const nothing = (): void => undefined;
