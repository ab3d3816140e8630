// Components that are drawn again only if one of their properties is another object.

import { Component, type ComponentChildren, type FunctionComponent } from 'preact';

export function unchanged<Props extends object>(draw: (props: Props) => ComponentChildren): FunctionComponent<Props> {
  class Unchanged extends Component<Props> {
    override shouldComponentUpdate(next: Props): boolean {
      const now = this.props as Readonly<Record<string, unknown>>;
      // Without a list of them: this is asked for every row of a table in every frame of a scroll.
      for (const key in next) if (now[key] !== next[key]) return true;
      return false;
    }
    override render(): ComponentChildren {
      return draw(this.props as Props);
    }
  }
  return Unchanged as unknown as FunctionComponent<Props>;
}
