// The errors with which a request of A2A is refused, as its package declares them. They are made when one is needed,
// because the package is loaded with the first request.

import { type Fault, FaultError, faultOf } from '../../../kernel/fault.ts';
import { refusal, safeFault } from '../head-fault.ts';
import type { HeadContext } from '../head-host.ts';

/** Rejects, always. */
export async function refuseCall(why: 'push' | 'extended-card' | 'over' | 'not-cancelable', task = ''): Promise<never> {
  const errors = await import('@a2a-js/sdk/errors');
  switch (why) {
    case 'push':
      throw new errors.PushNotificationNotSupportedError('This server sends no push notifications.');
    case 'extended-card':
      throw new errors.ExtendedAgentCardNotConfiguredError('There is only one card for each agent.');
    case 'over':
      throw new errors.UnsupportedOperationError(
        `Task ${task} is over. Send a message without a task, and with its context, to go on with the conversation.`,
      );
    case 'not-cancelable':
      throw new errors.TaskNotCancelableError(`Task ${task} is over.`);
  }
}

/** Rejects with the error of the protocol for a fault, and with what is no fault as it is. */
export async function throwA2aError(thrown: unknown, context: HeadContext): Promise<never> {
  if (!(thrown instanceof FaultError)) throw thrown;
  throw await a2aError(thrown.fault, context);
}

async function a2aError(fault: Fault, context: HeadContext): Promise<Error> {
  const { message } = safeFault(refusal(faultOf(new FaultError(fault))), context);
  const metadata = { code: fault.code };
  const errors = await import('@a2a-js/sdk/errors');
  switch (fault.code) {
    case 'run/unknown':
      return new errors.TaskNotFoundError({ message, metadata });
    case 'request/media-type':
      return new errors.ContentTypeNotSupportedError({ message, metadata });
    case 'run/finished':
      return new errors.UnsupportedOperationError({ message, metadata });
    case 'request/invalid':
    case 'input/invalid':
      return new errors.RequestMalformedError({ message, metadata });
    default:
      return new errors.UnsupportedOperationError({ message, metadata });
  }
}
