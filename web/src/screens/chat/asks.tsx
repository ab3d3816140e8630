// A question of a run to a person, in the place of its answer.

import type { ApprovalInfo } from '../../../../src/server/protocol.ts';
import { escapeUnseen } from '../../../../src/text/escape-unseen.ts';
import { Icon } from '../../parts/icon.tsx';
import { Answering, Question } from '../../parts/question.tsx';

export const Asks = ({ asked }: { readonly asked: ApprovalInfo }) => (
  <section class="chat-asks" aria-label={escapeUnseen(asked.prompt)}>
    <h3>
      <Icon name="person" />
      {escapeUnseen(asked.prompt)}
    </h3>
    <Question asked={asked} />
    <Answering asked={asked} />
  </section>
);
