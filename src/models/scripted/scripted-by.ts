// Makes the provider that plays a script from its text. It is imported only when a script is used.

import { loadScript } from './load.ts';
import { type ScriptedProvider, scriptedProvider } from './scripted.ts';

/** Throws a FaultError that lists every mistake in the text. */
export function scriptedBy(text: string, file: string, id: string, unpaced = false): ScriptedProvider {
  return scriptedProvider(loadScript(text, file, unpaced), id);
}
