// One agent: its contract, its prompt, what the check says of it, and its runs.

import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { AgentDetail, AgentInfo, CadreInfo, RunRow } from '../../../../src/server/protocol.ts';
import { hrefOf, startHref } from '../../app/addresses.ts';
import { getJson, problemOf } from '../../data/api.ts';
import { useRunPages } from '../../data/run-list.ts';
import { Button, Command, LinkButton } from '../../parts/controls.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Loading } from '../../parts/loading.tsx';
import { StateWord } from '../../parts/state.tsx';
import { TextBlock } from '../../parts/text-block.tsx';
import { Moment } from '../../parts/times.tsx';
import { Contract, type Detail } from './contract.tsx';
import { Finding } from './finding.tsx';
import { countOf, inWords } from './findings.ts';

const TABS = ['contract', 'prompt', 'check', 'runs'] as const;
type DetailTab = (typeof TABS)[number];
const NAMES: Readonly<Record<DetailTab, string>> = {
  contract: 'Contract',
  prompt: 'Prompt',
  check: 'Check',
  runs: 'Runs',
};

interface Props {
  readonly agent: AgentInfo;
  readonly now: CadreInfo;
  readonly query: Readonly<Record<string, string>>;
}

export const AgentSide = ({ agent, now, query }: Props) => {
  const tab = TABS.find((one) => one === query['tab']) ?? 'contract';
  const detail = useDetail(agent.name, now);
  const own = now.diagnostics.filter(({ file }) => file === agent.file);
  const pages = useRunPages();
  const took = tookPart(agent, pages.rows.value);
  const [latest] = took;
  return (
    <aside class="side" aria-label={agent.name}>
      <AgentHead agent={agent} now={now} warnings={countOf(own, 'warning')}>
        {latest !== undefined && (
          <span>
            took part in {took.length}
            {pages.hasMore.value && ' or more'} {took.length === 1 ? 'run' : 'runs'}, last{' '}
            <Moment at={latest.startedAt} />
          </span>
        )}
      </AgentHead>
      <Tabs agent={agent.name} query={query} chosen={tab} counts={{ check: own.length, runs: took.length }} />
      <div class="panel-body" role="tabpanel" aria-label={NAMES[tab]} tabIndex={0}>
        {tab === 'contract' && <Contract agent={agent} now={now} detail={detail} />}
        {tab === 'prompt' &&
          (detail?.kind === 'ready' ? <TextBlock text={detail.detail.system} /> : <Loading rows={4} />)}
        {tab === 'check' && <Checked agent={agent} now={now} />}
        {tab === 'runs' && <Runs of={took} />}
      </div>
    </aside>
  );
};

interface TabsProps {
  readonly agent: string;
  readonly query: Props['query'];
  readonly chosen: DetailTab;
  readonly counts: Partial<Record<DetailTab, number>>;
}

const Tabs = ({ agent, query, chosen, counts }: TabsProps) => (
  <div class="tabs line gaps-2 paper ruled" role="tablist" aria-label={`About ${agent}`}>
    {TABS.map((one) => (
      <a
        key={one}
        class="line gaps-6 soft nowrap"
        role="tab"
        aria-selected={one === chosen}
        href={hrefOf({ screen: 'agents', agent }, { query: { ...query, tab: one } })}
      >
        {NAMES[one]}
        {(counts[one] ?? 0) > 0 && <small>{counts[one]}</small>}
      </a>
    ))}
  </div>
);

const AgentHead = (props: {
  readonly agent: AgentInfo;
  readonly now: CadreInfo;
  readonly warnings: number;
  readonly children: ComponentChildren;
}) => {
  const { agent, now, warnings } = props;
  return (
    <div class="panel-head">
      <div class="line gaps tiny-text faint">
        <span class="mono">{agent.file}</span>
        <span class="grow" />
        {props.children}
      </div>
      <h2>
        {agent.name}
        {warnings > 0 && (
          <span class="state s-limit">
            <Icon name="warn" />
            {inWords(warnings, 'warning')}
          </span>
        )}
        <span class="grow" />
        <LinkButton href={startHref(agent.name)} icon="play" keys="n" main>
          Start
        </LinkButton>
      </h2>
      <p class="soft" dir="auto">
        {agent.description}
      </p>
      {agent.state === 'outdated' && (
        <p class="limit-words">
          <Icon name="warn" />
          Its files have errors{firstError(agent.prefix, now)}. A start uses them as they were before.
        </p>
      )}
    </div>
  );
};

/** Read again whenever the files were. */
function useDetail(name: string, now: CadreInfo): Detail | undefined {
  const [detail, setDetail] = useState<Detail | undefined>(undefined);
  useEffect(() => {
    const gone = new AbortController();
    getJson<AgentDetail>(`/api/agents/${encodeURIComponent(name)}`, gone.signal)
      .then((read) => setDetail({ kind: 'ready', detail: read }))
      .catch((thrown: unknown) => {
        if (!gone.signal.aborted) setDetail({ kind: 'refused', problem: problemOf(thrown) });
      });
    return () => gone.abort();
  }, [name, now]);
  return detail;
}

const Checked = ({ agent, now }: { readonly agent: AgentInfo; readonly now: CadreInfo }) => {
  const own = now.diagnostics.filter(({ file }) => file === agent.file);
  if (own.length === 0) return <p class="ok">No findings.</p>;
  return (
    <>
      {own.map((one) => (
        <Finding key={`${one.line} ${one.code}`} of={one} />
      ))}
      <Command line={`cadre check ${agent.file}`} />
    </>
  );
};

/** The runs that are loaded and that an agent took part in, newest first. */
const tookPart = (agent: AgentInfo, rows: readonly RunRow[]): readonly RunRow[] =>
  rows.filter(
    ({ agents, prefix }) => (prefix ?? '') === agent.prefix && agents.includes(agent.name.slice(agent.prefix.length)),
  );

/** ` at file:line`, if an error of the cadre is known. */
function firstError(prefix: string, { diagnostics }: CadreInfo): string {
  const first = diagnostics.find(({ severity, file }) => severity === 'error' && file.startsWith(prefix));
  return first === undefined ? '' : `, at ${first.file}:${first.line}`;
}

/** An agent that cannot run: its file has errors, or there is none of that name. */
export const UnusableAgent = ({ name, now }: { readonly name: string; readonly now: CadreInfo }) => {
  const own = now.diagnostics.filter(({ severity, file }) => severity === 'error' && file === `${name}.md`);
  const [first] = own.length > 0 ? own : now.diagnostics.filter(({ severity }) => severity === 'error');
  const why =
    first === undefined
      ? `There is no agent ${name}. It may have been renamed.`
      : `It cannot be started until ${first.file}:${first.line} is fixed.`;
  return (
    <aside class="side" aria-label={name}>
      <div class="panel-head">
        <h2>
          {name}
          <span class="grow" />
          <Button icon="play" keys="n" off={why} onPress={() => undefined}>
            Start
          </Button>
        </h2>
        <p class="err">
          <Icon name="failed" />
          {why}
        </p>
      </div>
      <div class="panel-body">
        {own.map((one) => (
          <Finding key={`${one.line} ${one.code}`} of={one} />
        ))}
      </div>
    </aside>
  );
};

const Runs = ({ of }: { readonly of: readonly RunRow[] }) => {
  if (of.length === 0) return <p class="faint">No run that is loaded had it take part.</p>;
  return (
    <ul class="agents-runs small-text">
      {of.slice(0, 100).map((row) => (
        <li key={row.run} class="cols">
          <StateWord state={row.state === 'ended' ? (row.outcome ?? 'failed') : row.state} />
          <a dir="auto" class="link cut" href={hrefOf({ screen: 'run', run: row.run, tab: 'timeline' })}>
            {row.input.text}
          </a>
          <Moment at={row.startedAt} />
        </li>
      ))}
    </ul>
  );
};
