// The `fetch` of MCP over HTTP. Node's own would send the headers that cadre.yaml sets, keys among them, to wherever the
// server redirects.

const maxRedirects = 5;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Follows redirects within the origin of the first request; any other is an error that says where it leads. */
export async function sameOriginFetch(input: string | URL, init: RequestInit = {}): Promise<Response> {
  const { origin } = new URL(input);
  let url = new URL(input);
  for (let hop = 0; hop <= maxRedirects; hop++) {
    const response = await fetch(url, { ...init, redirect: 'manual' });
    const location = redirects.has(response.status) ? response.headers.get('location') : null;
    if (location === null) return response;
    await response.body?.cancel();
    if (!URL.canParse(location, url.href))
      throw new Error(`it redirects (${response.status}) to something that is not a web address`);
    const next = new URL(location, url);
    if (next.origin !== origin) {
      throw new Error(
        `it redirects (${response.status}) to ${next.origin}${next.pathname}, which is not followed, because the ` +
          'headers of this server would go along. If the server is there now, set its url to that address',
      );
    }
    const repeatable = init.method === undefined || init.method === 'GET' || [307, 308].includes(response.status);
    if (!repeatable) {
      throw new Error(`it redirects (${response.status}) a ${init.method}, which cannot be sent again as it was`);
    }
    url = next;
  }
  throw new Error(`it redirects more than ${maxRedirects} times`);
}
