// The answers to proxies and service managers, and the error of any request.

import { z } from 'zod';
import { FAULTS, type FaultCode } from '../../kernel/fault.ts';
import { ViolationShown } from './cadre.ts';
import type { ValueOf } from './message.ts';
import { arrayOf, declaredAs, message, openObject, part } from './schema.ts';

export const ProblemDocument = message(
  'Problem',
  openObject({
    type: z.literal('about:blank'),
    title: z.string().describe('The meaning of the code, in a few words.'),
    status: z.int(),
    detail: z.string().describe('The problem, and the way out.'),
    code: z.enum(Object.keys(FAULTS) as FaultCode[]),
    instance: z.string().describe("The request, as the server's log names it."),
    violations: arrayOf(part(ViolationShown))
      .describe('The mistakes in an input or a request, each with its place.')
      .exactOptional(),
    approved: z.boolean().describe('The decision, for an approval that was decided already.').exactOptional(),
    by: z.string().describe('The person who decided, for an approval that was decided already.').exactOptional(),
  }).describe('An error of any request: RFC 9457.'),
);
export type ProblemDocument = ValueOf<typeof ProblemDocument>;

export const OpenApiDocument = message('OpenApiDocument', declaredAs<object>());

export const Alive = message('Alive', openObject({ ok: z.literal(true), lostLogLines: z.int().exactOptional() }));
export const Ready = message('Ready', openObject({ ok: z.literal(true) }));
export const NotReady = message('NotReady', openObject({ ok: z.literal(false), why: z.string() }));
