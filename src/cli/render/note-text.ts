// The mark of a person on a run, on one line.

import type { RunNote } from '../../journal/store.ts';
import * as amounts from '../../views/amounts.ts';
import { namesHere } from '../screen/reader.ts';
import { oneLine } from './width.ts';

export function noteText({ mark, by, at, text }: RunNote, now: number): string {
  const who = namesHere().includes(by) ? 'you' : oneLine(by);
  const why = text === undefined ? '' : `: ${oneLine(text)}`;
  return `${mark}, by ${who}, ${amounts.moment(at, now)}${why}`;
}
