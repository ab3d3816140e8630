// The command that runs tests, as a result keeps it: a person can give it again.

import { shownWord } from '../base/text/shell-words.ts';

export interface TestChoice {
  readonly places: readonly string[];
  readonly models: readonly string[];
  readonly live: boolean;
  readonly alone: boolean;
  readonly times: number;
  readonly only?: string | undefined;
}

export const testCommand = ({ places, models, only, live, alone, times }: TestChoice): string =>
  [
    'cadre test',
    ...places.filter((place) => place !== '.').map(shownWord),
    ...(models.length === 0 ? [] : [`--models ${shownWord(models.join(','))}`]),
    ...(only === undefined ? [] : [`--only ${shownWord(only)}`]),
    ...(live ? ['--live'] : []),
    ...(alone ? ['--alone'] : []),
    ...(times > 1 ? [`--times ${times}`] : []),
  ].join(' ');
