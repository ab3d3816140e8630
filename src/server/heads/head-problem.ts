// Errors of requests that no run was started for, in the shape of a head's protocol.

import type { Head } from '../context.ts';
import { type HeadFault, refusal, safeFault } from './head-fault.ts';
import { faultResponse } from './http-answer.ts';

/** `error` gets the place of what is wrong in the request, where that is known. */
export const problemIn =
  (error: (fault: HeadFault, param: string | undefined) => object): Head['problem'] =>
  (fault, context) => {
    const param = fault.details?.['param'];
    const place = typeof param === 'string' ? param : undefined;
    return faultResponse(safeFault(refusal(fault), context), (shown) => error(shown, place));
  };
