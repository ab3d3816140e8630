// A run as one sheet to read: its answer and why, who worked when, and below that all that led there.

import type { RunStart } from '../../src/journal/event.ts';
import { bytes, plural } from '../../src/views/amounts.ts';
import { type ExportedRun, exportedName } from '../../src/views/exported-run.ts';
import { type Why, WhyFold } from '../../src/views/talk/why.ts';
import type { WholeRun } from '../src/data/recorded-run.ts';
import { Command } from '../src/parts/controls.tsx';
import { Sprite } from '../src/parts/icon.tsx';
import { ShownLetters, TextBlock } from '../src/parts/text-block.tsx';
import { WhySteps } from '../src/parts/why-steps.tsx';
import { costText } from '../src/screens/run/run-facts.ts';
import { Answer } from './answer.tsx';
import { Calls } from './calls.tsx';
import { Conversations } from './conversations.tsx';
import { utcMoment } from './dates.ts';
import type { DrawnTalk } from './drawn-talks.ts';
import { SheetHead, TopLine } from './head.tsx';
import { JournalRows } from './journal-rows.tsx';
import { More } from './more.tsx';
import { WhoWhen } from './who-when.tsx';

/** The letters of a text that are drawn: the journal in the file has all of them. */
const LETTERS = 40_000;

interface Props {
  readonly run: ExportedRun;
  readonly start: RunStart;
  readonly data: WholeRun;
  readonly talks: readonly DrawnTalk[];
}

export const Sheet = ({ run, start, data, talks }: Props) => {
  const told = data.view(
    () => new WhyFold(),
    (fold) => ({ why: fold.why(), provenance: fold.provenance }),
  ).value;
  const { totals, lines } = data.ledger.value;
  const files = Object.entries(start.texts);
  return (
    <ShownLetters.Provider value={LETTERS}>
      <Sprite />
      <div class="export">
        <TopLine run={run} />
        <main class="sheet1">
          <SheetHead run={run} start={start} data={data} />
          <section class="two">
            <div>
              <Answer data={data} />
              <WhoWhen data={data} most={run.rows} />
            </div>
            <WhyItIs why={told.why} run={data.run} ended={data.tree.value.state} />
          </section>
          {run.notes.length > 0 && <Marks notes={run.notes} />}
          <section>
            <Conversations data={data} start={start} talks={talks} provenance={told.provenance} />
            <More title={`Every model call, ${costText(totals)}`} open>
              <Calls lines={lines} most={run.rows} />
            </More>
            <More title={`Agents as the run had them, ${plural(files.length, 'file')}`}>
              {files.map(([file, digest]) => (
                <AgentFile key={file} file={file} text={run.texts[digest]} />
              ))}
            </More>
            <More title={`Journal, ${plural(run.events.length, 'event')}`}>
              <JournalRows events={run.events} most={run.rows} />
            </More>
          </section>
          <CheckIt run={run} start={start} />
        </main>
      </div>
    </ShownLetters.Provider>
  );
};

const WhyItIs = (props: { readonly why: Why; readonly run: string; readonly ended: string }) => (
  <div>
    <h2>{props.ended === 'answered' ? 'Why this answer' : 'What led here'}</h2>
    {props.why.steps.length === 0 ? (
      <p class="faint">No step led to an answer.</p>
    ) : (
      <WhySteps why={props.why} run={props.run} />
    )}
  </div>
);

const Marks = ({ notes }: Pick<ExportedRun, 'notes'>) => (
  <section>
    <h2>Marks</h2>
    <ul class="fields">
      {notes.map(({ by, at, mark, text }) => (
        <li key={by}>
          <span class={`state s-${mark === 'good' ? 'good' : 'bad'}`}>{mark}</span>{' '}
          <span class="faint">
            by <bdi>{by}</bdi>, {utcMoment(at)}
          </span>
          {text !== undefined && <p dir="auto">{text}</p>}
        </li>
      ))}
    </ul>
  </section>
);

const AgentFile = ({ file, text }: { readonly file: string; readonly text: string | undefined }) => (
  <details class="ex-file">
    <summary class="mono">
      <bdi>{file}</bdi>
    </summary>
    {text === undefined ? <p class="faint">The store has this text no more.</p> : <TextBlock text={text} as="code" />}
  </details>
);

const CheckIt = ({ run, start }: { readonly run: ExportedRun; readonly start: RunStart }) => (
  <section>
    <h2>Check it</h2>
    <Command line={`cadre verify ${exportedName(start)}`} />
    <p class="soft small-text">
      Re-runs it on the recorded answers, offline and free, and reports the first difference. The whole journal is in
      this file.
    </p>
    {run.redactedLate && (
      <p class="soft small-text">
        Some secrets were taken out only as this file was written. What was told with them cannot be proved.
      </p>
    )}
    {run.leftOut.length > 0 && (
      <div class="soft small-text">
        <p>Left out, because the file would be too large; a replay does not read them:</p>
        <ul>
          {run.leftOut.map(({ digest, bytes: size }) => (
            <li key={digest} class="mono breaks">
              {digest}, {bytes(size)}
            </li>
          ))}
        </ul>
      </div>
    )}
  </section>
);
