// Components that are drawn again only if one of their properties is another object.

import { Component, type ComponentChildren, type FunctionComponent } from 'preact';

export function unchanged<Props extends object>(draw: (props: Props) => ComponentChildren): FunctionComponent<Props> {
  class Unchanged extends Component<Props> {
    override shouldComponentUpdate(next: Props): boolean {
      const now = this.props as Readonly<Record<string, unknown>>;
      return Object.entries(next).some(([key, value]) => now[key] !== value);
    }
    override render(): ComponentChildren {
      return draw(this.props as Props);
    }
  }
  return Unchanged as unknown as FunctionComponent<Props>;
}
