// A run as one HTML document, and the run read back out of it.
// DOCUMENT-1. The document loads and sends nothing: its policy allows its own style and script by their digests, pictures
//             that stand in it, and nothing else.
// DOCUMENT-2. The run stands in it as lines of JSON in which no character can end the element or turn the text around it.
// DOCUMENT-3. Each event stands beside its digest, so that a change can be named.

import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { fingerprint } from '../../journal/fingerprint.ts';
import { fail } from '../../kernel/fault.ts';
import { type DrawnRun, type ExportedRun, pictureSource } from '../../views/exported-run.ts';
import type { Picture } from './collect-run.ts';

/** A longer record is compressed. */
const PACK_OVER = 1024 * 1024;
const MOST_UNPACKED = 512 * 1024 * 1024;

const OPENING = '<script type="application/x-cadre-run"';
const CLOSING = '</script>';

export function runDocument(run: ExportedRun, drawn: DrawnRun, pictures: ReadonlyMap<string, Picture>): string {
  const policy = [
    "default-src 'none'",
    `style-src ${hashed(drawn.style)}`,
    "style-src-attr 'unsafe-inline'",
    `script-src ${hashed(drawn.script)}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy.join('; ')}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>${drawn.title.replaceAll(/[<>&]/g, (one) => `&#${one.charCodeAt(0)};`)}</title>
<style>${drawn.style}</style>
</head>
<body>
${withPictures(drawn.body, pictures)}
<script>${drawn.script}</script>
${recordOf(run)}
</body>
</html>
`;
}

const hashed = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const PICTURE = new RegExp(`"${pictureSource('([0-9a-f]{64})')}"`, 'g');

const withPictures = (body: string, pictures: ReadonlyMap<string, Picture>): string =>
  body.replaceAll(PICTURE, (source, digest: string) => {
    const picture = pictures.get(digest);
    if (picture === undefined) return source;
    return `"data:${picture.type};base64,${Buffer.from(picture.bytes).toString('base64')}"`;
  });

function recordOf({ events, texts, ...head }: ExportedRun): string {
  const lines = [
    ['head', head],
    ...events.map((event) => ['event', fingerprint(JSON.stringify(event)), event]),
    ...Object.entries(texts).map(([digest, text]) => ['text', digest, text]),
  ].map((line) => harmless(JSON.stringify(line)));
  const text = lines.join('\n');
  return text.length <= PACK_OVER
    ? `${OPENING}>\n${text}\n${CLOSING}`
    : `${OPENING} data-packed="gzip">\n${gzipSync(text).toString('base64')}\n${CLOSING}`;
}

/** DOCUMENT-2 */
const harmless = (json: string): string =>
  json.replaceAll(/[<>&\p{Cf}\p{Zl}\p{Zp}]/gu, (found) =>
    Array.from({ length: found.length }, (_, at) => `\\u${found.charCodeAt(at).toString(16).padStart(4, '0')}`).join(
      '',
    ),
  );

/** Throws `usage` for a text that is no run of Cadre. `name` is that of the file. */
export function runInDocument(
  html: string,
  name: string,
):
  | { readonly run: ExportedRun }
  | {
      readonly what: string;
    } {
  const lines = recordIn(html, name).split('\n');
  const head = lineIn(lines[0] ?? '', 'head');
  if (head === undefined) return { what: 'the first line of its record' };
  const events: ExportedRun['events'][number][] = [];
  const texts: Record<string, string> = {};
  for (const line of lines.slice(1)) {
    const event = lineIn(line, 'event');
    if (event !== undefined) {
      const [, digest, written] = event;
      if (fingerprint(JSON.stringify(written)) !== digest) return { what: nameOf(written, events.length) };
      events.push(written as ExportedRun['events'][number]);
      continue;
    }
    const text = lineIn(line, 'text');
    if (text === undefined) return { what: `event ${events.length}` };
    texts[String(text[1])] = String(text[2]);
  }
  return { run: { ...(head[1] as ExportedRun), events, texts } };
}

/** `event 17, op-end of op 0.3` */
function nameOf(event: unknown, seq: number): string {
  const { type, path } = (event ?? {}) as { readonly type?: unknown; readonly path?: unknown };
  return `event ${seq}${typeof type === 'string' ? `, ${type}` : ''}${typeof path === 'string' ? ` of op ${path}` : ''}`;
}

function lineIn(line: string, kind: string): readonly unknown[] | undefined {
  try {
    const read: unknown = JSON.parse(line);
    return Array.isArray(read) && read[0] === kind ? read : undefined;
  } catch {
    return undefined; // whoever asks says which line it is
  }
}

function recordIn(html: string, name: string): string {
  const at = html.lastIndexOf(OPENING);
  const open = at < 0 ? -1 : html.indexOf('>', at);
  const close = open < 0 ? -1 : html.indexOf(CLOSING, open);
  if (close < 0)
    return fail('usage', `${name} holds no run: "cadre export <run>" writes the files that can be verified.`);
  const inside = html.slice(open + 1, close).trim();
  if (!html.slice(at, open).includes('data-packed')) return inside;
  try {
    return gunzipSync(Buffer.from(inside, 'base64'), { maxOutputLength: MOST_UNPACKED }).toString('utf8');
  } catch {
    return fail(
      'journal/corrupt',
      `The record in ${name} cannot be unpacked: it was cut or changed. Export the run again.`,
    );
  }
}
