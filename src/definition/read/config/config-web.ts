// `web` of cadre.yaml: what fetch_page may reach, and how much.

import { USUAL_WEB, type WebConfig } from '../../definition.ts';
import { durationShape, flag, integer, type Shape } from '../shape.ts';
import { key, object, refineShape, type Values } from '../shape-object.ts';

const webKeys = {
  allowPrivate: key(flag, 'true: addresses of private networks and of this machine are allowed.', {
    fallback: USUAL_WEB.allowPrivate,
  }),
  timeout: key(durationShape, 'For one page.', { fallback: USUAL_WEB.timeoutMs }),
  maxBytes: key(integer(1, 16_777_216), 'Of a longer page only so much is read, and the model is told.', {
    fallback: USUAL_WEB.maxBytes,
  }),
};

export const webShape: Shape<WebConfig> = refineShape(object(webKeys), webOf);

function webOf({ allowPrivate, timeout, maxBytes }: Values<typeof webKeys>): WebConfig {
  return {
    allowPrivate: allowPrivate ?? USUAL_WEB.allowPrivate,
    timeoutMs: timeout ?? USUAL_WEB.timeoutMs,
    maxBytes: maxBytes ?? USUAL_WEB.maxBytes,
  };
}
