// Work that may need a sign-in to an MCP server: it is done, and where the server wants one, a person is asked and it is done
// again.
// SIGNED-IN-1. What met the server's refusal had no effect, so it is done again as it was.
// SIGNED-IN-2. More scopes are asked for once: a server that goes on asking after that has its error told.
// SIGNED-IN-3. A yes that no sign-in follows is asked about again, and not for ever: who says yes may be a program.

import { FaultError, faultOf } from '../kernel/fault.ts';
import { askedAboutSignIn, signInOf, signInPrompt, type WantedSignIn } from '../kernel/sign-in.ts';
import type { AskBelow } from './questions-below.ts';

const MOST_TRIES = 5;

export async function signedIn<Value>(work: () => Promise<Value>, ask: AskBelow): Promise<Value> {
  let hasAskedForMore = false;
  for (let tries = 0; ; tries++) {
    try {
      return await work();
    } catch (thrown) {
      const wanted = thrown instanceof FaultError ? signInOf(thrown.fault) : undefined;
      const isEnough = tries >= MOST_TRIES || (wanted?.scopes !== undefined && hasAskedForMore);
      if (wanted === undefined || isEnough) throw thrown;
      hasAskedForMore ||= wanted.scopes !== undefined;
      await askForIt(wanted, thrown as FaultError, ask);
    }
  }
}

/** Throws what the source said, with the answer, if that is no. */
async function askForIt(wanted: WantedSignIn, thrown: FaultError, ask: AskBelow): Promise<void> {
  const { approved, note } = await ask({ prompt: signInPrompt(wanted), about: askedAboutSignIn(wanted) });
  if (approved) return;
  const { message, ...rest } = faultOf(thrown);
  throw new FaultError({ ...rest, message: note === undefined ? message : `${message} (${note})`, details: {} });
}
