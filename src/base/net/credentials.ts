// A user and password that stand in an address. No HTTP client sends a request to such an address; curl and browsers send them
// as a header, and so do we.

export function bareAddress(address: string): {
  readonly url: string;
  /** Absent where the address names no user. */
  readonly authorization?: string;
} {
  if (!URL.canParse(address)) return { url: address };
  const { username, password } = new URL(address);
  if (username === '' && password === '') return { url: address };
  const pair = `${decoded(username)}:${decoded(password)}`;
  return {
    url: address.replace(WITH_USER, '$1'),
    authorization: `Basic ${Buffer.from(pair).toString('base64')}`,
  };
}

const WITH_USER = /^(\s*[a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i;

/** An escape that is none stands for itself, as it does in a browser. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export const namesAuthorization = (headers: Readonly<Record<string, unknown>>): boolean =>
  Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
