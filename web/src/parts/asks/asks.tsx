// A question to a person: who asks and what about, all of it, and the answer. One part for every place that shows one.
// What was decided stays where it was until the person leaves it; the next one is a step.

import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks';
import { previewOf } from '../../../../src/kernel/approval.ts';
import { questionIn } from '../../../../src/kernel/person.ts';
import { signInIn } from '../../../../src/kernel/sign-in.ts';
import type { ApprovalInfo } from '../../../../src/server/protocol.ts';
import { askedWords, asksYou } from '../../../../src/views/asking/asked-words.ts';
import { diffFiles } from '../../../../src/views/asking/diff-rows.ts';
import { useKeys } from '../../app/keys.ts';
import { type AskedAt, type AskedState, useAsked } from '../../data/asked.ts';
import type { RunData } from '../../data/run-data.ts';
import { Button } from '../controls.tsx';
import { Icon } from '../icon.tsx';
import { Bones } from '../loading.tsx';
import { Lasting } from '../times.tsx';
import { Counts } from './diff.tsx';
import { AnswerForm } from './form.tsx';
import { NextOne, type NextStep, OtherWaiting, wasGoneTo } from './next-one.tsx';
import { SettledButtons, SettledChip, SettledWords } from './settled.tsx';
import { SmallPrint } from './small-print.tsx';
import { Subject } from './subject.tsx';
import './asks.css';

interface Props extends AskedAt {
  readonly data: RunData;
  /** `wide`: over the width of a screen. `box`: in a column of texts. `page`: the screen is about it. */
  readonly layout: 'wide' | 'box' | 'page';
  /** The address of the next one, if another waits. */
  readonly step: NextStep | undefined;
  /** Takes one that was decided away. */
  readonly onClose?: () => void;
}

/** Made anew for each question, so that nothing of one is left in another. */
export const Asks = (props: Props) => <OneQuestion key={`${props.run} ${props.path}`} {...props} />;

const OneQuestion = (props: Props) => {
  const { run, path, data, layout, step } = props;
  const state = useAsked({ run, path }, data);
  const [note, setNote] = useState('');
  const chords = useRef<((event: KeyboardEvent) => void) | undefined>(undefined);
  const id = useId();
  const open = state.kind === 'open' ? state.asked : undefined;
  const hasChanged = useChanged(open?.digest);
  if (open === undefined) chords.current = undefined;
  const asked = 'asked' in state ? state.asked : undefined;
  const onKeyDown = (event: KeyboardEvent): void => pressed(event, chords.current, step);
  return (
    <section
      class={`asks stack ${layout}${open === undefined ? ' settled' : ''}`}
      aria-labelledby={id}
      onKeyDown={onKeyDown}
    >
      <QuestionHead {...props} id={id} state={state} />
      {open !== undefined && <News of={open} hasChanged={hasChanged} />}
      {open === undefined && <SettledWords state={state} data={data} />}
      <div class="q-body">
        <div class="fields">
          {asked !== undefined && <Subject about={asked.about} isOpen={open !== undefined} />}
          {state.kind === 'loading' && <Bones rows={4} />}
        </div>
        <div>
          {open === undefined ? (
            <SettledButtons at={{ run, path }} state={state} />
          ) : (
            <Answering
              asked={open}
              data={data}
              off={state.kind === 'open' && state.isCurrent ? undefined : 'It is being decided.'}
              note={note}
              onNote={setNote}
              keys={chords}
            />
          )}
        </div>
      </div>
      {step !== undefined && (layout === 'page' || open === undefined) && <NextOne step={step} />}
    </section>
  );
};

type HeadProps = Props & { readonly id: string; readonly state: AskedState };

/** The asker and the question, how it stands, and how long it waits. The focus comes here when a person goes to it. */
const QuestionHead = ({ run, path, layout, step, onClose, id, state }: HeadProps) => {
  const heading = useRef<HTMLHeadingElement>(null);
  const Heading = layout === 'page' ? 'h1' : 'h2';
  const open = state.kind === 'open' ? state.asked : undefined;
  useEffect(() => {
    if (wasGoneTo({ run, path })) heading.current?.focus();
  }, []);
  useKeyTo(heading);
  return (
    <div class={`q-head line small-text soft tinted s-${open === undefined ? 'plain' : 'limit'}`}>
      <Icon name="person" />
      <Heading class="breaks" id={id} tabIndex={-1} ref={heading} dir="auto">
        {titleOf(state)}
      </Heading>
      {'asked' in state && state.asked !== undefined && <Changed about={state.asked.about} />}
      {open === undefined && <SettledChip state={state} />}
      <span class="grow wide-only" />
      <Since open={open}>{layout !== 'page' && open !== undefined && <OtherWaiting step={step} run={run} />}</Since>
      {open === undefined && <CloseButton onPress={onClose} />}
    </div>
  );
};

const CloseButton = ({ onPress }: { readonly onPress: (() => void) | undefined }) =>
  onPress === undefined ? null : <Button kind="bare" size="tiny" icon="close" label="Close" onPress={onPress} />;

const Answering = ({ data, ...form }: Parameters<typeof AnswerForm>[0] & Pick<Props, 'data'>) => (
  <>
    <AnswerForm key={form.asked.digest} {...form} />
    {questionIn(form.asked.about) === undefined && signInIn(form.asked.about) === undefined && (
      <SmallPrint asked={form.asked} data={data} />
    )}
  </>
);

/** A chord is the question's, also where it does nothing: no other part of the page takes it for its own. */
function pressed(event: KeyboardEvent, chord: ((event: KeyboardEvent) => void) | undefined, step?: NextStep): void {
  const isField = event.target instanceof Element && event.target.matches('textarea, select, input[type="text"]');
  const isChord = (event.metaKey || event.ctrlKey) && (event.key === 'Enter' || event.key === 'Backspace');
  const isNext = event.key.toLowerCase() === 'j' && !isField && !event.metaKey && !event.ctrlKey && !event.altKey;
  if (!isChord && !(isNext && step !== undefined)) return;
  event.preventDefault();
  event.stopPropagation();
  if (isChord) chord?.(event);
  else if (!event.repeat) step?.go();
}

function titleOf(state: AskedState): string {
  if (state.kind === 'open') return asksYou(state.asked.asker, state.asked);
  const asked = 'asked' in state ? state.asked : undefined;
  return asked === undefined ? 'A question to you' : askedWords(asked);
}

interface SinceProps {
  readonly open: ApprovalInfo | undefined;
  readonly children: ComponentChildren;
}

const Since = ({ open, children }: SinceProps) => (
  <span class="q-when line gaps-10">
    {open !== undefined && (
      <span class="num cut">
        waits <Lasting from={open.at} to={undefined} />, nothing is spent meanwhile
      </span>
    )}
    {children}
  </span>
);

/** For those who do not see it come, and for all if it has become another question. */
const News = ({ of, hasChanged }: { readonly of: ApprovalInfo; readonly hasChanged: boolean }) => (
  <>
    <p class="sr" role="status" dir="auto">
      {asksYou(of.asker, of)}. P goes to it.
    </p>
    {hasChanged && (
      <p class="asks-came line gaps small-text breaks bad-words" role="alert">
        <Icon name="warn" />
        <span>
          <bdi>{askedWords(of)}</bdi> has changed since it was asked. Look again.
        </span>
      </p>
    )}
  </>
);

const Changed = ({ about }: Pick<ApprovalInfo, 'about'>) => {
  const preview = previewOf(about);
  if (preview?.kind !== 'diff') return null;
  const files = diffFiles(preview.text);
  const sum = (of: 'added' | 'removed'): number => files.reduce((count, file) => count + file[of], 0);
  return <Counts of={{ added: sum('added'), removed: sum('removed') }} />;
};

/** `P` */
function useKeyTo(heading: RefObject<HTMLHeadingElement | null>): void {
  const run = (): void => {
    heading.current?.focus();
    heading.current?.scrollIntoView({ block: 'nearest' });
  };
  useKeys(useMemo(() => [{ keys: 'p', does: 'to the question that waits', run }], []));
}

/** True if it asks for something else than when it was drawn first. */
function useChanged(digest: string | undefined): boolean {
  const first = useRef(digest);
  first.current ??= digest;
  return digest !== undefined && digest !== first.current;
}
