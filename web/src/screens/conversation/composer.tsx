// The line below a conversation. While the run is live it is a message to it; after its end it asks the next one of the
// same thread.

import { useState } from 'preact/hooks';
import type { AgentInfo, ControlAccepted, StartedRun } from '../../../../src/server/protocol.ts';
import { runHref } from '../../app/addresses.ts';
import { go } from '../../app/router.ts';
import { postJson, problemOf } from '../../data/api.ts';
import { type ChosenFile, type FileRefusal, filesToSend, refusalBy, refusedOf } from '../../data/chosen-files.ts';
import { offline } from '../../data/connection.ts';
import { FilePicker } from '../../parts/file-picker.tsx';
import { QuestionField } from '../../parts/question-field.tsx';

interface Props {
  readonly run: string;
  /** The name with the prefix of its cadre. */
  readonly agent: string;
  readonly thread: string | undefined;
  readonly live: boolean;
  /** Undefined if it is not there any more. */
  readonly asked: AgentInfo | undefined;
}

/** Messages to a run at work are texts. */
const textsOnly: FileRefusal = (kind) =>
  kind === 'text' ? undefined : 'pictures and PDF files go with a question, not with a message to a run at work.';

/** Sends what is written, and says how that went. */
function useSaying({ run, agent, thread, live, asked }: Props) {
  const [text, setText] = useState('');
  const [files, setFiles] = useState<readonly ChosenFile[]>([]);
  const [sent, setSent] = useState<readonly string[]>([]);
  const [why, setWhy] = useState<string | undefined>(undefined);
  const [busy, setBusy] = useState(false);
  const takesJson = asked?.input.format === 'json';
  const refusal = live ? textsOnly : refusalBy(asked);
  const off = offline() ?? (busy ? 'It is on its way.' : refusedOf(files, refusal));
  const given = filesToSend(files);
  // A run that is of no conversation begins one with what was said in it.
  const after = thread === undefined ? { thread: 'new', continues: run } : { thread };
  const say = async (): Promise<void> => {
    setBusy(true);
    setWhy(undefined);
    try {
      if (live) {
        const { accepted } = await postJson<ControlAccepted>(`/api/runs/${run}/messages`, { text, ...given });
        setSent([...sent, accepted === 'waits' ? `${text} (read when the run is resumed)` : text]);
      } else {
        const input: unknown = takesJson ? JSON.parse(text) : text;
        const started = await postJson<StartedRun>('/api/runs', { agent, input, ...after, ...given });
        go(runHref(started.run, 'conversation'));
      }
      setText('');
      setFiles([]);
    } catch (thrown) {
      setWhy(thrown instanceof SyntaxError ? `${agent} takes JSON, and this is not JSON.` : problemOf(thrown).message);
    } finally {
      setBusy(false);
    }
  };
  return { text, setText, files, setFiles, sent, why, off, takesJson, refusal, say };
}

export const Composer = (props: Props) => {
  const { agent, live } = props;
  const { text, setText, files, setFiles, sent, why, off, takesJson, refusal, say } = useSaying(props);
  const label = live ? `Message ${agent}` : `Ask ${agent} a follow-up`;
  return (
    <div class="talk-compose fields paper ruled-above">
      <Sent of={sent} />
      <QuestionField
        label={label}
        placeholder={live ? `${label} (read before its next turn)` : label}
        text={text}
        onText={setText}
        onSend={() => void say()}
        off={off}
        sends={live ? 'Send' : 'Ask'}
        worded
        mono={!live && takesJson}
      >
        <FilePicker files={files} onChange={setFiles} refusal={refusal} />
      </QuestionField>
      {why !== undefined && (
        <p class="err" role="alert">
          {why}
        </p>
      )}
    </div>
  );
};

const Sent = ({ of }: { readonly of: readonly string[] }) => (
  <>
    {of.map((one, index) => (
      <p key={`${index} ${one}`} class="small-text breaks">
        <span class="faint">sent, read before its next turn</span> <bdi>{one}</bdi>
      </p>
    ))}
  </>
);
