// Gives the AI SDK's packages the streams of src/net/part-stream.ts in place of Node's (decision 41). A plugin of the build,
// and of the tests, so that both run the same.

import { fileURLToPath } from 'node:url';

const STREAMS = fileURLToPath(new URL('../../src/net/part-stream.ts', import.meta.url));
const IMPORT =
  'import { PartStream as ReadableStream, PartTransform as TransformStream, PartDecoder as TextDecoderStream } from ';

/** Packages whose streams only Cadre's own adapter reads. */
export const WITH_PART_STREAMS =
  /[\\/]node_modules[\\/](?:@ai-sdk[\\/](?:provider-utils|openai-compatible|openai|anthropic)[\\/]dist[\\/]index\.mjs|eventsource-parser[\\/]dist[\\/]stream\.js)$/;

export const partStreams = {
  name: 'part-streams',
  transform(code, id) {
    if (!WITH_PART_STREAMS.test(id.replace(/\?.*$/, ''))) return undefined;
    return { code: `${IMPORT}${JSON.stringify(STREAMS)};${code}`, map: null };
  },
};
