// Starts an agent: a form from the schema of its input, checked by the server before anything is spent, and beside it
// what will be sent, what it can cost at most, and the command that does the same.

import { useMemo, useState } from 'preact/hooks';
import type { AgentInfo, StartedRun } from '../../../../src/server/protocol.ts';
import { type Address, agentHref, runHref } from '../../app/addresses.ts';
import { useKeys } from '../../app/keys.ts';
import { go } from '../../app/router.ts';
import { useTitle } from '../../app/title.ts';
import { postJson, problemOf } from '../../data/api.ts';
import { cadre } from '../../data/cadre.ts';
import { filesToSend, refusalBy } from '../../data/chosen-files.ts';
import { offline } from '../../data/connection.ts';
import { Button, Choices } from '../../parts/controls.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { FilePicker } from '../../parts/file-picker.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Empty } from '../../parts/panel.tsx';
import { Beside } from './beside.tsx';
import { FormFields } from './form.tsx';
import { type StartForm, useForm } from './use-form.ts';
import './start.css';

export const StartScreen = ({ agent, address }: { readonly agent: string; readonly address: Address }) => {
  const now = cadre();
  useTitle(`Start ${agent}`);
  if (now === undefined) return <Loading />;
  const found = now.agents.find(({ name }) => name === agent);
  if (found === undefined)
    return (
      <Empty part title={`There is no agent ${agent}`}>
        <p>It may have been renamed. The agents are: {now.agents.map(({ name }) => name).join(', ')}.</p>
      </Empty>
    );
  return <StartDialog agent={found} given={address.query['input']} side={address.query['side']} />;
};

interface DialogProps {
  readonly agent: AgentInfo;
  readonly given: string | undefined;
  readonly side: string | undefined;
}

const StartDialog = ({ agent, given, side }: DialogProps) => {
  const form = useForm(agent, given, side);
  const { start, busy, why } = useStart(agent, form);
  const close = (): void => go(agentHref(agent.name));
  const off = offline() ?? form.missing ?? (busy ? 'It is being started.' : undefined);
  useKeys(
    useMemo(
      () => [{ keys: 'mod+Enter', does: 'start', run: () => (off === undefined ? start() : undefined) }],
      [off, start],
    ),
  );
  return (
    <Dialog
      title={`Start ${agent.name}`}
      aside={<span class="faint">{agent.file}</span>}
      onClose={close}
      footer={<Foot why={why} off={off} onClose={close} onStart={start} />}
    >
      <div class="start frame">
        <div class="start-form fields">
          {agent.description !== undefined && (
            <p class="faint" dir="auto">
              {agent.description}
            </p>
          )}
          {form.fields !== undefined && <Sides form={form} />}
          {form.isForm && form.fields !== undefined ? (
            <FormFields
              fields={form.fields}
              given={form.givenNames}
              values={form.values}
              violations={form.violations}
              path="$"
              onChange={form.write}
            />
          ) : (
            <TextInput agent={agent} form={form} />
          )}
          <FilePicker files={form.files} onChange={form.setFiles} refusal={refusalBy(agent)} />
        </div>
        <Beside agent={agent} input={form.input} onUse={form.use} />
      </div>
    </Dialog>
  );
};

interface FootProps {
  readonly why: string | undefined;
  readonly off: string | undefined;
  readonly onClose: () => void;
  readonly onStart: () => void;
}

const Foot = ({ why, off, onClose, onStart }: FootProps) => (
  <>
    <span class={why === undefined ? 'faint' : 'err'} role="status">
      {why !== undefined && <Icon name="failed" />}
      {why ?? off}
    </span>
    <span class="grow" />
    <Button onPress={onClose}>Close</Button>
    <Button kind="main" icon="play" keys="mod+Enter" off={off} onPress={onStart}>
      Start
    </Button>
  </>
);

/** The form, or the JSON that it stands for. */
const Sides = ({ form }: { readonly form: StartForm }) => {
  const { fields = [] } = form;
  return (
    <div class="line gaps">
      <Choices
        label="How it is written"
        chosen={form.isForm ? 'form' : 'json'}
        of={[
          { value: 'form', name: 'Form' },
          { value: 'json', name: 'JSON' },
        ]}
        onChoose={form.turn}
      />
      <span class="faint">
        It takes JSON: {fields.filter(({ required }) => required).length} of {fields.length} fields are required.
      </span>
    </div>
  );
};

const TextInput = ({ agent, form }: { readonly agent: AgentInfo; readonly form: StartForm }) => (
  <label class="field">
    <span>
      <strong>{form.takesJson ? 'JSON' : 'Your question'}</strong> <bdi class="faint">{agent.usage}</bdi>
    </span>
    <textarea
      class={form.takesJson ? 'input mono' : 'input'}
      data-first="true"
      dir="auto"
      rows={form.takesJson ? 12 : 6}
      value={form.text}
      aria-invalid={form.wrong !== undefined}
      spellcheck={!form.takesJson}
      onInput={(event) => form.writeText(event.currentTarget.value)}
    />
    {form.wrong !== undefined && <span class="err">{form.wrong}</span>}
  </label>
);

function useStart(agent: AgentInfo, { input, files }: StartForm) {
  const [busy, setBusy] = useState(false);
  const [why, setWhy] = useState<string | undefined>(undefined);
  const start = (): void => {
    if (busy) return;
    setBusy(true);
    setWhy(undefined);
    postJson<StartedRun>('/api/runs', { agent: agent.name, input, ...filesToSend(files) })
      .then(({ run }) => go(runHref(run)))
      .catch((thrown: unknown) => {
        setWhy(problemOf(thrown).message);
        setBusy(false);
      });
  };
  return { start, busy, why };
}
