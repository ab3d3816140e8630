// Parts of addresses and of messages that several routes take.

import { z } from 'zod';

export const RUN_PARAM = z.string().min(1).max(200).describe('Its id, a unique beginning of it, its label, or `last`.');

export const AGENT_PARAM = z
  .string()
  .min(1)
  .max(500)
  .describe('Its name. Where several cadres are served, with the prefix of its cadre; a slash in it is sent as %2F.');

/** The path of an op. */
export const OP_PARAM = z
  .string()
  .regex(/^[0-9]+(\.-?[0-9]+)*$/)
  .max(500);

export const CALLS = z.union([z.int(), z.string()]).describe('Larger than a number of JSON holds exactly: as a text.');

/** A number that JSON can hold; a larger one as text. */
export const jsonCount = (value: bigint): number | string =>
  value <= Number.MAX_SAFE_INTEGER ? Number(value) : String(value);
