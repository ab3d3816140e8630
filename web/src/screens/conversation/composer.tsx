// The line below a conversation. While the run is live it is a message to it; after its end it asks the next one of the
// same thread.

import { useMemo, useRef, useState } from 'preact/hooks';
import type { ControlAccepted, StartedRun } from '../../../../src/server/protocol.ts';
import { runHref } from '../../app/addresses.ts';
import { useKeys } from '../../app/keys.ts';
import { go } from '../../app/router.ts';
import { postJson, problemOf } from '../../data/api.ts';
import { offline } from '../../data/connection.ts';
import { Button } from '../../parts/controls.tsx';
import { type ChosenFile, FilePicker } from '../../parts/file-picker.tsx';

interface Props {
  readonly run: string;
  /** The name with the prefix of its cadre. */
  readonly agent: string;
  readonly thread: string | undefined;
  readonly live: boolean;
  readonly takesJson: boolean;
}

export const Composer = ({ run, agent, thread, live, takesJson }: Props) => {
  const [text, setText] = useState('');
  const [files, setFiles] = useState<readonly ChosenFile[]>([]);
  const [sent, setSent] = useState<readonly string[]>([]);
  const [why, setWhy] = useState<string | undefined>(undefined);
  const [busy, setBusy] = useState(false);
  const off = offline() ?? (busy ? 'It is on its way.' : text.trim() === '' ? 'Write something first.' : undefined);
  const given = { ...(files.length > 0 && { files }) };
  const say = async (): Promise<void> => {
    if (off !== undefined) return;
    setBusy(true);
    setWhy(undefined);
    try {
      if (live) {
        const { accepted } = await postJson<ControlAccepted>(`/api/runs/${run}/messages`, { text, ...given });
        setSent([...sent, accepted === 'waits' ? `${text} (read when the run is resumed)` : text]);
      } else {
        const input: unknown = takesJson ? JSON.parse(text) : text;
        const started = await postJson<StartedRun>('/api/runs', { agent, input, thread: thread ?? run, ...given });
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
  const latest = useRef(say);
  latest.current = say; // a chord right after the last letter sends that letter too
  useKeys(
    useMemo(() => [{ keys: 'mod+Enter', does: live ? 'send' : 'ask', run: () => void latest.current() }], [live]),
  );
  return (
    <form
      class="talk-compose"
      onSubmit={(event) => {
        event.preventDefault();
        void say();
      }}
    >
      {sent.map((one, index) => (
        <p key={`${index} ${one}`} class="talk-sent">
          <span class="faint">sent, read before its next turn</span> {one}
        </p>
      ))}
      <div class="talk-line">
        <textarea
          class="input"
          rows={2}
          value={text}
          aria-label={live ? `A message to ${agent}` : `Ask ${agent} again`}
          placeholder={
            live ? `A message to ${agent}. It is read before its next turn.` : `Ended. Ask ${agent} what comes next.`
          }
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <Button kind="main" keys="mod+Enter" off={off} onPress={() => void say()}>
          {live ? 'Send' : 'Ask'}
        </Button>
      </div>
      <FilePicker files={files} onChange={setFiles} />
      {why !== undefined && (
        <p class="err" role="alert">
          {why}
        </p>
      )}
    </form>
  );
};
