// The address of a store in Restate: restate://host:8080?admin=9070. Requests go to the ingress, which is the address
// itself; lists and the control of invocations go to the admin port of the same host.

import { fail } from '../../kernel/fault.ts';

export const isRestateAddress = (text: string): boolean => /^restate:\/\//i.test(text);

/** The address of a Restate server of this machine, with its usual ports. */
export const USUAL_RESTATE = 'restate://127.0.0.1:8080';

export interface RestateAddress {
  /** The address as people write it. It holds no secret. */
  readonly shown: string;
  /** Both as the beginning of a URL, without a slash at the end. */
  readonly ingress: string;
  readonly admin: string;
}

const INGRESS_PORT = '8080';
const ADMIN_PORT = '9070';

export function restateAddress(text: string): RestateAddress {
  const url = isRestateAddress(text) && URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.hostname === '' || url.username !== '' || !/^\/?$/.test(url.pathname)) return refused();
  const { hostname, port, searchParams } = url;
  const admin = searchParams.get('admin') ?? ADMIN_PORT;
  const isOther = [...searchParams.keys()].some((name) => name !== 'admin');
  if (isOther || !/^\d{1,5}$/.test(admin)) return refused();
  const at = `${hostname}:${port === '' ? INGRESS_PORT : port}`;
  return {
    shown: admin === ADMIN_PORT ? `restate://${at}` : `restate://${at}?admin=${admin}`,
    ingress: `http://${at}`,
    admin: `http://${hostname}:${admin}`,
  };
}

const refused = (): never =>
  fail(
    'usage',
    'The address of this store is not valid. Write it as restate://host:8080?admin=9070, with the ports of its ingress and of its admin API.',
  );
