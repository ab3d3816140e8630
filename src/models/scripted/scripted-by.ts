// From the text of a script to the provider that plays it: the one door to this folder that is opened only when needed.

import { loadScript } from './load.ts';
import { type ScriptedProvider, scripted } from './scripted.ts';

/** Throws a FaultError that lists every mistake in the text. */
export function scriptedBy(text: string, file: string, id: string): ScriptedProvider {
  return scripted(loadScript(text, file), id);
}
