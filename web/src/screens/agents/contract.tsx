// The contract of an agent: who calls it and whom it calls, what it takes and answers, its bound and its settings.

import type { Problem } from '../../../../src/client/problem.ts';
import type { AgentDetail, AgentInfo, CadreInfo } from '../../../../src/server/protocol.ts';
import { usd } from '../../../../src/views/amounts.ts';
import { agentHref } from '../../app/addresses.ts';
import { Loading } from '../../parts/loading.tsx';
import { Section } from '../../parts/panel.tsx';
import { SchemaTable } from '../../parts/schema-table.tsx';
import { BothSides } from './finding.tsx';
import { handOversOf } from './findings.ts';
import { Settings } from './settings.tsx';

export type Detail =
  | { readonly kind: 'ready'; readonly detail: AgentDetail }
  | { readonly kind: 'refused'; readonly problem: Problem };

interface ContractProps {
  readonly agent: AgentInfo;
  readonly now: CadreInfo;
  readonly detail: Detail | undefined;
}

const Leads = ({ agent, edges }: { readonly agent: string; readonly edges: CadreInfo['graph']['edges'] }) => {
  const from = edges.filter(({ to }) => to === agent);
  const onTo = edges.filter((edge) => edge.from === agent);
  return (
    <Section title="Called by, calls">
      <dl class="pairs agents-leads small-text">
        {from.map((edge) => (
          <Lead key={`from ${edge.from} ${edge.label}`} how="called by" agent={edge.from} edge={edge} />
        ))}
        {onTo.map((edge) => (
          <Lead key={`to ${edge.to} ${edge.label}`} how="calls" agent={edge.to} edge={edge} />
        ))}
      </dl>
      {from.length + onTo.length === 0 && <p class="faint">No other agent calls it, and it calls none.</p>}
    </Section>
  );
};

const Lead = (props: {
  readonly how: string;
  readonly agent: string;
  readonly edge: CadreInfo['graph']['edges'][number];
}) => (
  <div>
    <dt class="soft">{props.how}</dt>
    <dd>
      <a class="link" href={agentHref(props.agent)}>
        {props.agent}
      </a>{' '}
      <span class={`tag edge e-${props.edge.kind}`}>{props.edge.label}</span>
    </dd>
  </div>
);

const Takes = ({ agent: { input, output, usage } }: { readonly agent: AgentInfo }) => (
  <>
    <Section title="Takes" aside={input.format === 'any' ? 'text' : input.format}>
      {input.schema === undefined ? (
        <p class="faint" dir="auto">
          {usage ?? 'Any text. There is no usage to say how it wants to be asked.'}
        </p>
      ) : (
        <SchemaTable of={[{ title: 'takes', schema: input.schema }]} />
      )}
    </Section>
    <Section title="Answers" aside={output.format}>
      {output.schema === undefined ? (
        <p class="faint">Free text.</p>
      ) : (
        <SchemaTable of={[{ title: 'answers', schema: output.schema }]} />
      )}
    </Section>
  </>
);

const AtMost = ({ bound }: { readonly bound: CadreInfo['bounds'][string] | undefined }) =>
  bound?.kind === 'bounded' ? (
    <p>
      <strong>{bound.calls}</strong> model calls, <strong>{bound.attempts}</strong> with every retry,{' '}
      <strong>{bound.usd === null ? '$?' : usd(bound.usd)}</strong>
      {bound.why !== undefined && <span class="faint"> {bound.why}</span>}
    </p>
  ) : (
    <p>Unbounded. {bound?.reason}</p>
  );

export const Contract = ({ agent, now, detail }: ContractProps) => {
  const bound = now.bounds[agent.name];
  return (
    <>
      <Leads agent={agent.name} edges={now.graph.edges} />
      <Takes agent={agent} />
      {handOversOf(agent.name, now.diagnostics).map(({ code, compared }) => (
        <Section
          key={`${compared.given.agent} ${compared.taken.agent}`}
          title="A hand-over that may not fit"
          aside={code}
        >
          <BothSides of={compared} />
        </Section>
      ))}
      <Section title="At most" aside="one run of it, with all below">
        <AtMost bound={bound} />
      </Section>
      <Section title="Settings" aside="as cadre help prints them">
        {detail?.kind === 'ready' ? (
          <Settings of={detail.detail.settings} />
        ) : detail?.kind === 'refused' ? (
          <p class="err">{detail.problem.message}</p>
        ) : (
          <Loading rows={4} />
        )}
      </Section>
    </>
  );
};
