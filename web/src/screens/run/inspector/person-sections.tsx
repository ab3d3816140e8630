// A question to a person: what is asked about, and the verdict, or the way to give one.

import { useMemo, useState } from 'preact/hooks';
import type { Verdict } from '../../../../../src/kernel/effect.ts';
import type { ApprovalInfo } from '../../../../../src/server/protocol.ts';
import { escapeUnseen } from '../../../../../src/text/escape-unseen.ts';
import type { OpFacts } from '../../../../../src/views/tree/op-facts.ts';
import type { OpNode } from '../../../../../src/views/tree/op-tree.ts';
import { hrefOf } from '../../../app/addresses.ts';
import { useKeys } from '../../../app/keys.ts';
import { problemOf } from '../../../data/api.ts';
import { approvalAt, giveVerdict } from '../../../data/approvals.ts';
import { cadre } from '../../../data/cadre.ts';
import { offline } from '../../../data/connection.ts';
import { Button, Command } from '../../../parts/controls.tsx';
import { Section } from '../../../parts/panel.tsx';
import { Question } from '../../../parts/question.tsx';
import { StateWord } from '../../../parts/state.tsx';
import { shortId } from '../run-facts.ts';
import type { RunView } from '../run-view.ts';

export const PersonSections = ({
  view,
  node,
  facts,
}: {
  readonly view: RunView;
  readonly node: OpNode;
  readonly facts: OpFacts;
}) => {
  if (facts.op?.kind !== 'approval') return null;
  const asked = approvalAt(view.facts.value.start?.run ?? view.data.run, node.path);
  const verdict = facts.result?.ok === true ? (facts.result.value as Verdict) : undefined;
  return (
    <>
      <Section title="Asked">
        <p>{escapeUnseen(facts.op.prompt)}</p>
        <Question asked={asked ?? facts.op} />
      </Section>
      {verdict !== undefined && (
        <Section title="Decided" aside={verdict.by && `by ${verdict.by === cadre()?.you.name ? 'you' : verdict.by}`}>
          <StateWord state={verdict.approved ? 'ok' : 'denied'} word={verdict.approved ? 'approved' : 'denied'} />
          {verdict.note !== undefined && <p class="soft">{verdict.note}</p>}
        </Section>
      )}
      {verdict === undefined && node.state === 'running' && <Decide view={view} path={node.path} asked={asked} />}
    </>
  );
};

/** Optimistic only in the button: the state changes with the event. */
const Decide = ({
  view,
  path,
  asked,
}: {
  readonly view: RunView;
  readonly path: string;
  /** What is drawn above, once the list of approvals has it. */
  readonly asked: ApprovalInfo | undefined;
}) => {
  const [note, setNote] = useState('');
  const [sent, setSent] = useState<'no' | 'approve' | 'deny'>('no');
  const [why, setWhy] = useState<string | undefined>(undefined);
  const run = view.facts.value.start?.run ?? view.data.run;
  const decide = (approved: boolean): void => {
    if (asked === undefined) return;
    setSent(approved ? 'approve' : 'deny');
    setWhy(undefined);
    giveVerdict(asked, { approved, ...(note.trim() !== '' && { note: note.trim() }) }).catch((thrown: unknown) => {
      const { message, details } = problemOf(thrown);
      setWhy(typeof details['by'] === 'string' ? `${message} By ${details['by']}.` : message);
      setSent('no');
    });
  };
  useKeys(
    useMemo(
      () => [
        { keys: 'mod+Enter', does: 'approve', run: () => decide(true) },
        { keys: 'mod+Backspace', does: 'deny', run: () => decide(false) },
      ],
      [note, asked?.digest, run, path],
    ),
  );
  const loading = asked === undefined ? 'What is asked is on its way.' : undefined;
  const off = offline() ?? loading ?? (sent === 'no' ? undefined : 'It is sent.');
  return (
    <Section
      title="Your answer"
      aside={
        <a class="link" href={hrefOf({ screen: 'approvals', run }, { selected: { kind: 'op', path } })}>
          Look at it large
        </a>
      }
    >
      <label class="small-text" for="verdict-note">
        Note <span class="faint">the model reads it if you deny, and the journal keeps it</span>
      </label>
      <textarea
        id="verdict-note"
        class="input"
        placeholder="Why, if you like"
        value={note}
        onInput={(event) => setNote(event.currentTarget.value)}
      />
      <div class="decide">
        <Button kind="main" icon="answered" keys="mod+Enter" off={off} onPress={() => decide(true)}>
          {sent === 'approve' ? 'Approving' : 'Approve'}
        </Button>
        <Button kind="stop" icon="failed" keys="mod+Backspace" off={off} onPress={() => decide(false)}>
          {sent === 'deny' ? 'Denying' : 'Deny'}
        </Button>
      </div>
      {why !== undefined && <p class="err">{why}</p>}
      <Command line={`cadre approve ${shortId(run)} ${path}`} />
    </Section>
  );
};
