// Problems as responses: a document for programs, a text for a person who opens the page.

import { FAULTS, type Fault } from '../kernel/fault.ts';
import type { ServerCall, ServerContext } from './context.ts';
import { problemOf, statusOf } from './problem.ts';

export function problemResponse(found: Fault, call: ServerCall, context: ServerContext): Response {
  const folders = [context.folder, ...context.cadres.all().map(({ folder }) => folder)];
  const place = { requestId: call.get('requestId'), folders, redact: context.redact, address: call.req.path };
  const body = problemOf(found, place);
  return new Response(JSON.stringify(body), {
    status: body.status,
    headers: { 'content-type': 'application/problem+json; charset=utf-8', 'cache-control': 'no-store' },
  });
}

/** A person who opens the page in a browser gets a text to read. */
export const opensPage = ({ req }: ServerCall): boolean =>
  req.method === 'GET' && !req.path.startsWith('/api/') && /\btext\/html\b/.test(req.header('accept') ?? '');

/**
 * A browser does not send the cookie where a link on another site led here. It does when the person goes on from here.
 */
export function pageProblem(found: Fault): Response {
  const text =
    found.code === 'request/unauthorized'
      ? 'This is Cadre. Open the address that "cadre serve" printed: it holds the token. If you have opened it here before, <a href="">go on</a>.'
      : `This is Cadre. The request was refused: ${FAULTS[found.code].means}.`;
  const body = `<!doctype html><meta charset="utf-8"><title>Cadre</title><p>${text}</p>`;
  return new Response(body, {
    status: statusOf(found),
    headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' },
  });
}
