// The address of the page: the address bar, as a signal. A click on a link of the page changes it without a reload.

import { signal } from '@preact/signals';
import { type Address, addressOf, followedFrom, hrefOf, type Selection } from './addresses.ts';

const here = (): Address => addressOf(new URL(location.href));

export const address = signal<Address>(here());

interface Going {
  /** Takes the place of the current entry of the history: for what a person would not go back to. */
  readonly replace?: boolean;
}

export function go(href: string, { replace = false }: Going = {}): void {
  if (href === location.pathname + location.search + location.hash) return;
  if (replace) history.replaceState(null, '', href);
  else history.pushState(null, '', href);
  address.value = here();
}

/** Selects an op or event where the page is, and keeps everything else. */
export function select(selected: Selection | undefined, going: Going = { replace: true }): void {
  const { place, query } = address.value;
  go(hrefOf(place, { query, selected }), going);
}

/** Changes fields of the query; undefined takes one away. */
export function setQuery(fields: Readonly<Record<string, string | undefined>>, going: Going = { replace: true }): void {
  const { place, query, selected } = address.value;
  go(hrefOf(place, { query: { ...query, ...fields }, selected }), going);
}

/** Follows the browser's own back and forward, and clicks on links of the page. */
export function startRouter(): void {
  addEventListener('popstate', () => {
    address.value = here();
  });
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target instanceof Element ? event.target.closest('a[href]') : null;
    if (!(link instanceof HTMLAnchorElement) || link.target !== '' || link.origin !== location.origin) return;
    if (link.hasAttribute('download') || link.pathname.startsWith('/api/')) return;
    event.preventDefault();
    go(followedFrom(address.peek(), new URL(link.href)));
  });
}
