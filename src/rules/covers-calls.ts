// True statements about two rules without a call: one that counts first may leave nothing for the other.

import { glob } from '../base/text/glob.ts';
import { isOfHost } from '../base/text/host.ts';
import { commandPattern } from '../base/text/shell-words.ts';
import { matchesStars } from '../base/text/star-text.ts';
import { argumentPattern } from './call-rule.ts';

/** The way in which a tool reads what stands in brackets. */
export type BracketKind = 'command' | 'host' | 'path' | 'text';

/**
 * True if every call that the weaker brackets mean is meant by the stronger ones. The stronger ones are of a `deny` or an
 * `approve`, so they are compared widely.
 */
export function coversCalls(stronger: string, weaker: string, kind: BracketKind): boolean {
  switch (kind) {
    case 'command':
      return coversCommands(stronger, weaker);
    case 'host':
      return (
        stronger === weaker ||
        (URL.canParse(`http://${weaker}`) && !hasPort(stronger) && isOfHost(new URL(`http://${weaker}`), stronger))
      );
    case 'path':
    case 'text': {
      const [one, other] = [argumentPattern(stronger), argumentPattern(weaker)];
      if (one === undefined || other === undefined) return false;
      const isSame = one.argument === other.argument || (kind === 'path' && one.argument === 'path');
      return (
        isSame && (kind === 'path' ? coversPaths(one.pattern, other.pattern) : coversTexts(one.pattern, other.pattern))
      );
    }
  }
}

/** True if the brackets mean every call of a tool. */
export const meansEveryCall = (inBrackets: string, kind: BracketKind): boolean => {
  const pattern = argumentPattern(inBrackets)?.pattern;
  return kind === 'text' ? /^\*+$/.test(pattern ?? '') : kind === 'path' && pattern === '**';
};

const hasPort = (host: string): boolean => /:\d+$/.test(host);

function coversCommands(stronger: string, weaker: string): boolean {
  const [one, other] = [commandPattern(stronger), commandPattern(weaker)];
  if ('problem' in one || 'problem' in other) return false;
  if (!one.more && (other.more || other.words.length !== one.words.length)) return false;
  return one.words.every((word, index) => word === other.words[index]);
}

/** A letter that no pattern has: what a `*` stands for may be anything. */
const ANYTHING = '\u{10ffff}';

const coversTexts = (stronger: string, weaker: string): boolean =>
  matchesStars(stronger, weaker.replaceAll('*', ANYTHING));

/** `**` of the weaker one may stand for no folder, for one, or for several. */
const coversPaths = (stronger: string, weaker: string): boolean =>
  [[], [ANYTHING], [ANYTHING, ANYTHING]].every((folders) => {
    const parts = weaker.split('/').flatMap((part) => (part === '**' ? folders : [part.replaceAll(/[*?]/g, ANYTHING)]));
    return glob(stronger).matches(parts.join('/') || '.');
  });
