// The routes of blobs: files that a later request names, and what runs have kept.
// BLOB-1. A picture or a document is given only with a run that has it, to who may see that run, and only as a download.
// BLOB-2. A few uploads are read at a time, so that many of them need no more memory than those few.

import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import { mediaTypeOf } from '../../base/media/file-type.ts';
import { uploadFile } from '../../engine/files/take-files.ts';
import type { RunId } from '../../journal/event.ts';
import { fail } from '../../kernel/fault.ts';
import { MOST_PDF_BYTES } from '../../tools/media/look-at-file.ts';
import { openSlots } from '../../world/state/slots.ts';
import type { Caller } from '../caller.ts';
import type { ServerContext } from '../context.ts';
import { UploadedFile } from '../messages/runs.ts';
import { requestBytes } from '../request-text.ts';
import { fileTaker } from '../runs/file-taker.ts';
import { visibleRun } from '../runs/visible-runs.ts';
import { type ApiRequest, json, type Reply, type Route, route } from './route.ts';

export const blobRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/api/blobs',
    name: 'putBlob',
    tag: 'runs',
    summary: 'Uploads a picture or PDF for a run. The body is the file as it is, of any content type.',
    permission: 'run',
    query: { name: z.string().min(1).max(1000).describe('The name of the file.') },
    answers: {
      201: { description: 'A run of the next day names it: `files: [{digest}]`.', body: UploadedFile },
    },
    faults: ['input/invalid', 'request/too-large'],
    answer: upload,
  }),
  route({
    method: 'GET',
    path: '/api/blobs/:digest',
    name: 'getBlob',
    tag: 'history',
    summary: 'A long text or a file that a run has kept, by its digest, as a download.',
    permission: 'see',
    params: {
      digest: z
        .string()
        .regex(/^[0-9a-f]{64}$/)
        .describe('Its SHA-256.'),
    },
    query: {
      run: z
        .string()
        .describe(
          'A run that names it. Pictures and documents need it, and so does a token that may not use all agents.',
        )
        .exactOptional(),
    },
    answers: {
      200: {
        description: 'Its bytes.',
        types: {
          'text/plain': 'A text in UTF-8.',
          'image/png': 'A picture. Also image/jpeg, image/gif and image/webp.',
          'application/pdf': 'A document.',
          'application/octet-stream': 'Anything else.',
        },
      },
    },
    faults: ['run/unknown', 'request/not-found'],
    answer: async ({ params, query, caller }, context) => blob(params.digest, query.run, caller, context),
  }),
];

/** BLOB-2 */
const uploads = openSlots(2);

async function upload(
  { query, caller, incoming, outgoing }: ApiRequest<unknown, { readonly name: string }>,
  { store }: ServerContext,
): Promise<Reply> {
  const gone = new AbortController();
  outgoing.once('close', () => gone.abort());
  const release = await uploads.acquire(gone.signal);
  try {
    const bytes = await requestBytes(incoming, MOST_PDF_BYTES, 'the most of one file');
    const file = await uploadFile({ name: query.name, bytes }, fileTaker(caller, store));
    return json(file, 201, { location: `/api/blobs/${file.digest}` });
  } finally {
    release();
  }
}

/** A digest is good only where it was given: whoever may not use all agents has to name a run that holds it. */
async function blob(digest: string, asked: string | undefined, caller: Caller, context: ServerContext): Promise<Reply> {
  const { store } = context;
  if (asked !== undefined || caller.agents !== undefined) {
    if (asked === undefined) fail('request/forbidden', 'This token has to name a run that holds the text: ?run=<id>');
    const { run } = await visibleRun(asked, caller, context);
    if (!(await isNamedIn(run, digest, context))) notThere(digest);
  }
  const bytes = await store.blobs.get(digest);
  if (bytes === undefined) return notThere(digest);
  const media = mediaTypeOf(bytes);
  if (media !== undefined && asked === undefined)
    fail('request/not-found', `A file is given with a run that has it: /api/blobs/${digest}?run=<id>`); // BLOB-1
  const type = media ?? (isUtf8(bytes) ? 'text/plain; charset=utf-8' : 'application/octet-stream');
  const headers = {
    'content-type': type,
    'content-disposition': 'attachment',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
  };
  return { kind: 'bytes', status: 200, body: new Uint8Array(bytes), headers };
}

const notThere = (digest: string): never => fail('request/not-found', `There is no text or file ${digest}.`);

async function isNamedIn(run: RunId, digest: string, { store }: ServerContext): Promise<boolean> {
  for await (const event of store.read(run)) if (JSON.stringify(event).includes(digest)) return true;
  return false;
}
