// The parts of what is read beside a working area: sections, facts, figures, crumbs, banners, the side itself.

import type { ComponentChildren } from 'preact';
import { Icon } from './icon.tsx';
import { lookOf, type StateName } from './state.tsx';

export const Section = (props: {
  readonly title: string;
  readonly aside?: ComponentChildren;
  readonly children: ComponentChildren;
}) => (
  <section class="sec">
    <h3 class="line gaps">
      {props.title}
      {props.aside !== undefined && <span class="aside grow faint">{props.aside}</span>}
    </h3>
    {props.children}
  </section>
);

export interface Figure {
  readonly name: string;
  readonly value: ComponentChildren;
}

interface FiguresProps {
  readonly of: readonly Figure[];
  /** `head`: large, beside a title. `facts`: small, in columns below it. */
  readonly as?: 'head' | 'facts';
}

/** Figures with a name above each. */
export const Figures = ({ of, as = 'head' }: FiguresProps) => (
  <dl class={as === 'head' ? 'figures line' : 'facts'}>
    {of.map(({ name, value }) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);

/** The head of a side: its title, what stands at the end of its line, and what is above and below it. */
export const PanelHead = (props: {
  readonly title: ComponentChildren;
  readonly above?: ComponentChildren;
  readonly aside?: ComponentChildren;
  readonly children?: ComponentChildren;
}) => (
  <div class="panel-head">
    {props.above}
    <h2>
      <span>{props.title}</span>
      <span class="grow" />
      {props.aside}
    </h2>
    {props.children}
  </div>
);

/** The news that must be known before anything else on the screen. */
export const Banner = (props: {
  readonly state: StateName;
  /** Nothing that has to interrupt somebody. */
  readonly quiet?: boolean;
  readonly children: ComponentChildren;
  readonly actions?: ComponentChildren;
}) => {
  const { family, icon } = lookOf(props.state);
  return (
    <div class={`banner line gaps-12 tinted s-${family}`} role={props.quiet === true ? 'status' : 'alert'}>
      <Icon name={icon} />
      <span>{props.children}</span>
      <span class="grow wide-only" />
      {props.actions}
    </div>
  );
};

/** One question at a time: nothing here yet, or it could not be had. Its title is that of the screen; not that of a `part`. */
export const Empty = (props: {
  readonly part?: boolean;
  readonly title: string;
  readonly children?: ComponentChildren;
  readonly actions?: ComponentChildren;
}) => (
  <div class="empty">
    {props.part === true ? <h2 class="title">{props.title}</h2> : <h1>{props.title}</h1>}
    {props.children}
    {props.actions !== undefined && <div class="line gaps">{props.actions}</div>}
  </div>
);
