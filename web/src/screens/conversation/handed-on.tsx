// The last entry of a conversation: the stages and agents that began with its last words.

import type { Trigger } from '../../../../src/kernel/effect.ts';
import { itemPlace } from '../../../../src/views/step-words.ts';
import type { ProvenanceFold } from '../../../../src/views/talk/provenance.ts';
import type { Conversation } from '../../../../src/views/talk/transcript.ts';
import { runHref } from '../../app/addresses.ts';
import { Icon } from '../../parts/icon.tsx';
import { TriggerTag, triggerWord } from '../../parts/state.tsx';
import { OpRef } from './entry-parts.tsx';

/** A map may go on to very many. */
const MOST_WENT = 40;

/** `next refund`, `item 3 of 20` */
function wayWords(trigger: Trigger): string {
  const word = triggerWord(trigger.kind);
  return itemPlace(trigger) ?? (trigger.case === undefined ? word : `${word} ${trigger.case}`);
}

interface Props {
  readonly talk: Conversation;
  readonly run: string;
  readonly provenance: ProvenanceFold;
}

export const HandedOn = ({ talk, run, provenance }: Props) => {
  const last = talk.entries.findLast(({ message }) => message.role === 'assistant')?.op;
  const went = last === undefined ? [] : provenance.went(last).filter(({ how }) => how === 'input');
  if (went.length === 0) return null;
  return (
    <li class="cols talk-entry">
      <span class="talk-when num tiny-text faint" />
      <div>
        {went.slice(0, MOST_WENT).map(({ op }) => {
          const place = provenance.runs.at(op);
          return (
            place !== undefined && (
              <p key={op} class="talk-who gaps-6 line small-text soft">
                <Icon name="routed" />
                handed on to{' '}
                <a href={runHref(run, 'conversation', { query: { session: place.session } })}>
                  <strong>{place.agent}</strong>
                </a>
                <TriggerTag trigger={place.trigger.kind} word={wayWords(place.trigger)} />
                <OpRef run={run} op={op} />
              </p>
            )
          );
        })}
        {went.length > MOST_WENT && <p class="faint">and {went.length - MOST_WENT} more</p>}
      </div>
    </li>
  );
};
