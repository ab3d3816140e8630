// An ended run with nothing selected: its answer, why it came about, and what it cost by agent.

import { isBroken, type Outcome } from '../../../../../src/kernel/outcome.ts';
import { loopWords } from '../../../../../src/views/step-words.ts';
import { runHref, whatIfHref } from '../../../app/addresses.ts';
import { useRunNotes } from '../../../data/run-notes.ts';
import { wholeText } from '../../../data/whole-text.ts';
import { AgentCosts } from '../../../parts/agent-costs.tsx';
import { Command, Copy, SheetClose } from '../../../parts/controls.tsx';
import { FeedbackBox, Thumbs } from '../../../parts/feedback/feedback.tsx';
import { type MarkedRun, useFeedback } from '../../../parts/feedback/use-feedback.ts';
import { PanelHead, Section } from '../../../parts/panel.tsx';
import { StateWord } from '../../../parts/state.tsx';
import { TextBlock } from '../../../parts/text-block.tsx';
import { sinceStart } from '../../../parts/times.tsx';
import { WhySteps } from '../../../parts/why-steps.tsx';
import { endingOf, shortId } from '../run-facts.ts';
import type { RunView } from '../run-view.ts';

export const Answer = ({ view, onClose }: { readonly view: RunView; readonly onClose: () => void }) => {
  const { data } = view;
  const { events, count } = data.extent.value;
  const ending = endingOf(events, count);
  const { start } = view.facts.value;
  const run = start?.run ?? data.run;
  if (ending === undefined || start === undefined)
    return <p class="panel-body soft">{data.shownAt.value === undefined ? '' : 'No answer yet at this point.'}</p>;
  const { outcome } = ending;
  return (
    <>
      <Head outcome={outcome} after={sinceStart(ending.at, start.at)} onClose={onClose} />
      <div class="panel-body" tabIndex={0}>
        <Written outcome={outcome} seq={ending.seq} data={data} />
        {data.shownAt.value === undefined && <AnswerFeedback run={run} agent={start.agent} outcome={outcome} />}
        <Section
          title={isBroken(outcome) ? 'What led here' : 'Why this answer'}
          aside={
            <a class="link" href={runHref(run, 'conversation')}>
              Conversation
            </a>
          }
        >
          <WhySteps run={run} why={view.why.value.why()} />
        </Section>
        <AgentCosts agents={data.ledger.value.agents} />
        <p>
          <a class="link" href={whatIfHref(run, undefined)}>
            Try it otherwise
          </a>
        </p>
        <Command line={`cadre show ${shortId(run)}`} />
      </div>
    </>
  );
};

interface HeadProps {
  readonly outcome: Outcome;
  /** The time since the start. */
  readonly after: string;
  readonly onClose: () => void;
}

const Head = ({ outcome, after, onClose }: HeadProps) => {
  const rounds = loopWords(outcome);
  return (
    <PanelHead
      title={isBroken(outcome) ? 'Partial output' : 'The answer'}
      aside={
        <>
          <StateWord state={outcome.kind} />
          <SheetClose onPress={onClose} />
        </>
      }
    >
      <span class="faint tiny-text">
        {outcome.agent !== undefined && `by ${outcome.agent}, `}
        {after}
        {rounds !== undefined && <span class={'unmet' in outcome ? 'limit-words' : undefined}>, {rounds}</span>}
      </span>
    </PanelHead>
  );
};

interface WrittenProps {
  readonly outcome: Outcome;
  /** The event that holds it. */
  readonly seq: number;
  readonly data: RunView['data'];
}

const Written = ({ outcome, seq, data }: WrittenProps) => {
  const broken = isBroken(outcome);
  const text = isBroken(outcome) ? outcome.partial : 'text' in outcome ? outcome.text : undefined;
  if (text === undefined || text === '') return <p class="soft">Nothing was written.</p>;
  return (
    <Section
      title={broken ? 'Written until then, not an answer' : 'Answer'}
      aside={<Copy text={text} label="Copy the answer" />}
    >
      <TextBlock
        text={text}
        as={'data' in outcome && outcome.data !== undefined ? 'code' : 'markdown'}
        whole={wholeText(data, seq, broken ? '/outcome/partial' : '/outcome/text')}
      />
    </Section>
  );
};

const AnswerFeedback = (marked: MarkedRun) => {
  const feedback = useFeedback(marked.run, useRunNotes(marked.run));
  return (
    <Section title="Feedback" aside={<Thumbs of={feedback} />}>
      <FeedbackBox of={feedback} marked={marked} />
    </Section>
  );
};
