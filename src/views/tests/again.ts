// Commands about a case of a result, ready to be copied.

import { shownWord } from '../../base/text/shell-words.ts';
import type { RecordedCase } from './test-record.ts';

/** Runs the same case again, with the model that it had. */
export function againCommand({ file, name, model }: Pick<RecordedCase, 'file' | 'name' | 'model'>): string {
  const chosen = model === undefined ? '' : ` --models ${shownWord(model)}`;
  return `cadre test ${shownWord(file)} --only ${shownWord(name)}${chosen}`;
}
