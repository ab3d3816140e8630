// The agents of the folder: who may lead to whom, what the check found, and one of them in detail.

import { useLayoutEffect, useMemo, useState } from 'preact/hooks';
import type { AgentInfo, CadreInfo, ShownDiagnostic } from '../../../../src/server/protocol.ts';
import { plural } from '../../../../src/views/amounts.ts';
import { type Address, agentHref, hrefOf, startHref } from '../../app/addresses.ts';
import { useKeys } from '../../app/keys.ts';
import { go, setQuery } from '../../app/router.ts';
import { useTitle } from '../../app/title.ts';
import { cadreState } from '../../data/cadre.ts';
import { useRunPages } from '../../data/run-list.ts';
import { AgentGraph } from '../../parts/agent-graph.tsx';
import { type FolderOfAgents, matching } from '../../parts/ask/ask-words.ts';
import { Choices, Command, copyText, FilterField } from '../../parts/controls.tsx';
import { Icon } from '../../parts/icon.tsx';
import { LoadingScreen } from '../../parts/loading.tsx';
import { Empty } from '../../parts/panel.tsx';
import { StateWord } from '../../parts/state.tsx';
import { Moment } from '../../parts/times.tsx';
import { AgentSide, UnusableAgent } from './detail.tsx';
import { countOf, inWords } from './findings.ts';
import './agents.css';

interface Props {
  readonly agent: string | undefined;
  readonly address: Address;
}

export const AgentsScreen = ({ agent, address }: Props) => {
  const state = cadreState.value;
  useTitle(agent ?? 'Agents');
  if (state.kind === 'loading') return <LoadingScreen />;
  if (state.kind === 'refused')
    return (
      <Empty title="The agents cannot be read">
        <p>{state.problem.message}</p>
      </Empty>
    );
  if (state.cadre.agents.length === 0)
    return (
      <Empty title="This folder has no agents yet">
        <p>An agent is a Markdown file. This makes the first ones:</p>
        <Command line="cadre init" />
        <Findings of={state.cadre.diagnostics} />
      </Empty>
    );
  return <Agents now={state.cadre} agent={agent} address={address} />;
};

const Agents = ({ now, agent, address }: Props & { readonly now: CadreInfo }) => {
  const { query } = address;
  const isList = query['as'] === 'list';
  const chosen = now.agents.find(({ name }) => name === agent) ?? now.agents[0];
  const live = useLive();
  const folders = matching(query['q'] ?? '', now);
  const found = folders.flatMap(({ agents }) => agents);
  useAgentKeys(found, chosen, query);
  useLayoutEffect(() => {
    if (agent === undefined) return;
    for (const one of document.querySelectorAll('.agents-work [aria-current="true"]'))
      one.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [agent, isList]);
  return (
    <div class="split">
      <div class="pane">
        <AgentsBar now={now} isList={isList} q={query['q'] ?? ''} />
        <div class="agents-work fills scrolls ground">
          {!isList && <AgentGraph graph={now.graph} chosen={chosen?.name} diagnostics={now.diagnostics} live={live} />}
          <div class={isList ? 'agents-list' : 'agents-list phone'}>
            {folders.map((one) => (
              <FolderList key={one.folder} of={one} chosen={chosen?.name} />
            ))}
          </div>
        </div>
        {now.diagnostics.length > 0 && <Findings of={now.diagnostics} />}
      </div>
      {agent !== undefined && agent !== chosen?.name ? (
        <UnusableAgent name={agent} now={now} />
      ) : (
        chosen !== undefined && <AgentSide key={chosen.name} agent={chosen} now={now} query={query} />
      )}
    </div>
  );
};

/** The number of runs that each agent works in now. */
function useLive(): ReadonlyMap<string, number> {
  const runs = useRunPages();
  return useMemo(() => {
    const counts = new Map<string, number>();
    for (const row of runs.rows.value)
      if (row.state === 'running')
        for (const name of row.agents) {
          const whole = `${row.prefix ?? ''}${name}`;
          counts.set(whole, (counts.get(whole) ?? 0) + 1);
        }
    return counts;
  }, [runs.rows.value]);
}

function useAgentKeys(found: readonly AgentInfo[], chosen: AgentInfo | undefined, query: Address['query']): void {
  const at = found.findIndex(({ name }) => name === chosen?.name);
  const move = (step: number): void => {
    const next = found[Math.max(0, Math.min(found.length - 1, at + step))];
    if (next !== undefined) go(hrefOf({ screen: 'agents', agent: next.name }, { query }), { replace: true });
  };
  const start = (): void => {
    if (chosen !== undefined) go(startHref(chosen.name));
  };
  useKeys(
    useMemo(
      () => [
        { keys: 'ArrowDown|j', does: 'next agent', run: () => move(1) },
        { keys: 'ArrowUp|k', does: 'the agent before', run: () => move(-1) },
        { keys: 'Enter', does: 'start it', run: start },
      ],
      [found, chosen?.name],
    ),
  );
}

interface BarProps {
  readonly now: CadreInfo;
  readonly isList: boolean;
  readonly q: string;
}

const AgentsBar = ({ now, isList, q }: BarProps) => (
  <div class="bar agents-bar">
    <Choices
      label="How the agents are shown"
      chosen={isList ? 'list' : 'graph'}
      of={[
        { value: 'graph', name: 'Graph' },
        { value: 'list', name: 'List' },
      ]}
      onChoose={(value) => setQuery({ as: value === 'list' ? 'list' : undefined })}
    />
    <h1 class="name">{now.name}</h1>
    <span class="faint">{plural(now.agents.length, 'agent')}</span>
    <FindingCounts of={now.diagnostics} />
    <span class="grow" />
    {isList && (
      <FilterField
        value={q}
        placeholder="name or description"
        width={220}
        onChange={(text) => setQuery({ q: text === '' ? undefined : text })}
      />
    )}
    <span class="faint">
      checked <Moment at={Math.max(...now.cadres.map(({ readAt }) => readAt))} />
    </span>
  </div>
);

const FindingCounts = ({ of }: { readonly of: CadreInfo['diagnostics'] }) => {
  const [errors, warnings] = [countOf(of, 'error'), countOf(of, 'warning')];
  return (
    <>
      {errors > 0 && <StateWord state="failed" word={inWords(errors, 'error')} />}
      {warnings > 0 && <StateWord state="refused" word={inWords(warnings, 'warning')} />}
      {errors + warnings === 0 && <StateWord state="answered" word="no findings" />}
    </>
  );
};

/** The agents of a folder. That of the chosen one is open, whatever a person closed before. */
const FolderList = (props: { readonly of: FolderOfAgents; readonly chosen: string | undefined }) => {
  const { of, chosen } = props;
  const { folder, agents } = of;
  const [isOpen, setOpen] = useState(true);
  useLayoutEffect(() => {
    if (agents.some(({ name }) => name === chosen)) setOpen(true);
  }, [chosen]);
  const list = (
    <ul aria-label={folder === '' ? 'Agents by name' : `Agents of ${folder}`}>
      {agents.map(({ name, prefix, description }) => (
        <li key={name}>
          <a
            class="cols choosable paper ruled small-text"
            href={agentHref(name)}
            aria-current={name === chosen ? 'true' : undefined}
          >
            <strong class="cut" title={name}>
              {name.slice(prefix.length)}
            </strong>
            <span dir="auto">{description}</span>
          </a>
        </li>
      ))}
    </ul>
  );
  if (folder === '') return list;
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary class="inset ruled small-text">
        <b>{folder}</b> <span class="faint">{plural(agents.length, 'agent')}</span>
      </summary>
      {list}
    </details>
  );
};

/** Each finding with its line and what to do. A press copies its place. */
const Findings = ({ of }: { readonly of: readonly ShownDiagnostic[] }) => (
  <ul class="agents-findings scrolls small-text paper ruled-above" aria-label="Findings of the check">
    {of.map((one) => (
      <li
        key={`${one.file}:${one.line}:${one.column}:${one.code}`}
        class={one.severity === 'error' ? 'cols ruled tinted s-bad' : 'cols ruled tinted s-limit'}
      >
        <Icon name={one.severity === 'error' ? 'failed' : 'warn'} />
        <button
          type="button"
          class="strong"
          title="Copy the place"
          onClick={() => void copyText(`${one.file}:${one.line}`)}
        >
          {one.file}:{one.line}:{one.column}
        </button>
        <span>
          {one.message} <code>{one.code}</code>
          {one.excerpt !== undefined && <pre class="text code agents-excerpt">{one.excerpt}</pre>}
          <p class="faint">{one.help}</p>
        </span>
      </li>
    ))}
  </ul>
);
