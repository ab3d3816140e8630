// Fork: a new run that takes over what was done before an op and goes on from there.

import { useMemo, useRef, useState } from 'preact/hooks';
import type { ForkedRun, ForkPreview, ForkRun } from '../../../../../src/server/protocol.ts';
import { plural } from '../../../../../src/views/amounts.ts';
import { sum } from '../../../../../src/views/costs/totals.ts';
import { runHref } from '../../../app/addresses.ts';
import { useKeys } from '../../../app/keys.ts';
import { address, go } from '../../../app/router.ts';
import { postJson } from '../../../data/api.ts';
import { cadre } from '../../../data/cadre.ts';
import { offline } from '../../../data/connection.ts';
import { useRead } from '../../../data/use-read.ts';
import { Button, Command } from '../../../parts/controls.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { costText, shortId } from '../run-facts.ts';
import type { RunView } from '../run-view.ts';
import { ActionFoot, useAction } from './asked.tsx';

interface ForkState {
  readonly preview: ForkPreview | undefined;
  readonly agents: 'pinned' | 'today';
  readonly models: string;
  readonly command: string;
  readonly why: string | undefined;
  readonly busy: boolean;
  readonly setAgents: (agents: 'pinned' | 'today') => void;
  readonly setModels: (models: string) => void;
  /** As chosen, or with these agents. */
  readonly start: (agents?: ForkState['agents']) => void;
}

/** The state of a fork at an op, shared by its form and its button. */
export function useFork(view: RunView, at: string, usual: ForkState['agents'] = 'pinned'): ForkState {
  const run = view.facts.value.start?.run ?? view.data.run;
  const { value: preview } = useRead<ForkPreview>(`/api/runs/${encodeURIComponent(run)}/fork?at=${at}`);
  const [agents, setAgents] = useState<'pinned' | 'today'>(usual);
  const [models, setModels] = useState('');
  const chosen = models.split(/[\s,]+/).filter((model) => model !== '');
  const taken = useRef(agents);
  const { doing, start } = useAction(async () => {
    const body: ForkRun = { at, agents: taken.current, ...(chosen.length > 0 && { models: chosen }) };
    const forked = await postJson<ForkedRun>(`/api/runs/${encodeURIComponent(run)}/fork`, body);
    go(runHref(forked.run));
  });
  const folder = view.facts.value.start?.folder ?? '.';
  const flags = [
    agents === 'today' ? ` --agent-dir ${folder}` : '',
    ...chosen.map((model) => ` --model ${model}`),
  ].join('');
  return {
    preview,
    agents,
    models,
    command: `cadre fork ${shortId(run)} --at ${at}${flags}`,
    why: doing.state === 'refused' ? doing.why : undefined,
    busy: doing.state === 'sent',
    setAgents,
    setModels,
    start(those = agents) {
      taken.current = those;
      start();
    },
  };
}

const ForkModels = ({ fork }: { readonly fork: ForkState }) => {
  const known = [...new Set((cadre()?.models ?? []).map(({ model }) => model))];
  return (
    <>
      <label class="faint" for="fork-models">
        models
      </label>
      <input
        dir="auto"
        id="fork-models"
        class="input"
        list="fork-known-models"
        placeholder="as the files say"
        value={fork.models}
        onInput={(event) => fork.setModels(event.currentTarget.value)}
      />
      <datalist id="fork-known-models">
        {known.map((model) => (
          <option key={model} value={model} />
        ))}
      </datalist>
    </>
  );
};

const ForkAgents = ({ fork }: { readonly fork: ForkState }) => (
  <>
    <label class="faint" for="fork-agents">
      agents
    </label>
    <select
      id="fork-agents"
      class="input"
      value={fork.agents}
      onChange={(event) => fork.setAgents(event.currentTarget.value === 'today' ? 'today' : 'pinned')}
    >
      <option value="pinned">use the agent files as they were</option>
      <option value="today">use the agent files as they are today</option>
    </select>
  </>
);

interface FieldsProps {
  readonly view: RunView;
  readonly at: string;
  readonly fork: ForkState;
}

export const ForkFields = ({ view, at, fork }: FieldsProps) => {
  const events = fork.preview?.events ?? localEvents(view, at);
  const taken = useMemo(() => {
    const ended = new Set(
      view.data.events.slice(0, events).flatMap((event) => (event.type === 'op-end' ? [event.path] : [])),
    );
    return sum(view.data.ledger.value.lines.filter(({ path }) => ended.has(path)));
  }, [events, view.data.ledger.value]);
  return (
    <>
      <div class="cols form">
        <span class="faint">takes over</span>
        <span>
          {plural(events, 'event')}, {plural(taken.calls, 'call')}, <strong>{costText(taken)}</strong> not paid again
        </span>
        {fork.preview !== undefined && fork.preview.again.length > 0 && (
          <>
            <span class="faint">made anew</span>
            <span>{fork.preview.again.map(({ path, words }) => `${words} (${path})`).join('; ')}</span>
          </>
        )}
        <ForkAgents fork={fork} />
        <ForkModels fork={fork} />
      </div>
      <Command line={fork.command} />
      {fork.why !== undefined && <p class="err">{fork.why}</p>}
    </>
  );
};

/** The events before the op began, until the server has said what a fork takes over. */
const localEvents = (view: RunView, at: string): number => view.facts.value.at(at)?.firstSeq ?? 0;

export const ForkButton = ({ fork, words }: { readonly fork: ForkState; readonly words: string }) => {
  useKeys(useMemo(() => [{ keys: 'mod+Enter', does: words, run: () => fork.start() }], [fork.start]));
  return (
    <Button
      kind="main"
      icon="fork"
      keys="mod+Enter"
      off={offline() ?? (fork.busy ? 'It is under way.' : undefined)}
      onPress={() => fork.start()}
    >
      {words}
    </Button>
  );
};

export const ForkDialog = ({ view, onClose }: { readonly view: RunView; readonly onClose: () => void }) => {
  const { selected } = address.value;
  const { shownAt } = view.data;
  const at = selected?.kind === 'op' ? selected.path : lastOp(view, shownAt.value);
  return at === undefined ? (
    <Dialog title="Fork" narrow onClose={onClose}>
      <p>Select an op: a fork takes over everything before it.</p>
    </Dialog>
  ) : (
    <OpenFork view={view} at={at} onClose={onClose} />
  );
};

const OpenFork = ({ view, at, onClose }: Omit<FieldsProps, 'fork'> & { readonly onClose: () => void }) => {
  const fork = useFork(view, at);
  return (
    <Dialog
      title="Fork here"
      aside={<span class="op">{at}</span>}
      narrow
      onClose={onClose}
      footer={
        <ActionFoot onClose={onClose}>
          <ForkButton fork={fork} words="Fork and go on" />
        </ActionFoot>
      }
    >
      <ForkFields view={view} at={at} fork={fork} />
    </Dialog>
  );
};

/** While the run is shown as it was, a fork without a selection is made at the last model call that is shown. */
function lastOp(view: RunView, shownAt: number | undefined): string | undefined {
  if (shownAt === undefined) return undefined;
  const last = view.data.events
    .slice(0, shownAt)
    .findLast((event) => event.type === 'op-start' && event.op.kind === 'model');
  return last?.type === 'op-start' ? last.path : undefined;
}
