// A part of the sheet that is folded away until somebody opens it. No script is needed for that.

import type { ComponentChildren } from 'preact';

export const More = (props: {
  readonly title: string;
  readonly open?: boolean;
  readonly children: ComponentChildren;
}) => (
  <details class="ex-part" open={props.open}>
    <summary>
      <h2>{props.title}</h2>
    </summary>
    {props.children}
  </details>
);
