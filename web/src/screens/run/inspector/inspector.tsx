// The selected op: what it was told, what it answered, where that went, and what can be done from here.

import type { ComponentChildren } from 'preact';
import type { Fault } from '../../../../../src/kernel/fault.ts';
import { isBroken } from '../../../../../src/kernel/outcome.ts';
import { tokens } from '../../../../../src/views/amounts.ts';
import type { OpFacts } from '../../../../../src/views/tree/op-facts.ts';
import type { OpNode } from '../../../../../src/views/tree/op-tree.ts';
import { hrefOf, runHref, whatIfHref } from '../../../app/addresses.ts';
import { address } from '../../../app/router.ts';
import { offline } from '../../../data/connection.ts';
import { Button, Copy, LinkButton, SheetClose } from '../../../parts/controls.tsx';
import { Figures, PanelHead, Section } from '../../../parts/panel.tsx';
import { type StateName, StateWord } from '../../../parts/state.tsx';
import { Lasting, sinceStart } from '../../../parts/times.tsx';
import { ForkButton, ForkFields, useFork } from '../actions/fork-form.tsx';
import { remedyFor } from '../actions/remedy.ts';
import type { RunDialogs } from '../actions/run-actions.tsx';
import { costText, endingOf, failingOp } from '../run-facts.ts';
import type { RunView } from '../run-view.ts';
import { isBad, isRefusedCall, waitsForPerson, wayTo } from '../timeline/rows.ts';
import { AgentSections } from './agent-sections.tsx';
import { InstantSections } from './instant-sections.tsx';
import { ModelSections } from './model-sections.tsx';
import { PersonSections } from './person-sections.tsx';
import { RefusedCall } from './refused-call.tsx';
import { crumbsOf, titleOf } from './titles.ts';
import { ToolSections } from './tool-sections.tsx';
import './inspector.css';

interface Props {
  readonly view: RunView;
  readonly path: string;
  readonly dialogs: RunDialogs;
  readonly onClose: () => void;
}

export const Inspector = ({ view, path, dialogs, onClose }: Props) => {
  const way = wayTo(view.data.tree.value, path);
  const node = way.at(-1);
  const facts = view.facts.value.at(path);
  if (node !== undefined && isRefusedCall(node) && facts === undefined)
    return <RefusedCall view={view} node={node} onClose={onClose} />;
  if (node === undefined || facts === undefined) {
    return (
      <PanelHead title={`Nothing at ${path}`}>
        <p class="faint small-text">
          {view.data.shownAt.value === undefined ? 'This run has no such op.' : 'It had not begun then.'}
        </p>
        <Button size="small" onPress={onClose}>
          Close
        </Button>
      </PanelHead>
    );
  }
  return (
    <>
      <OpHead view={view} path={path} way={way} node={node} facts={facts} onClose={onClose} />
      {node.kind === 'turn' && (isBad(node) || endedAt(view, node)) ? (
        <FailedTurn view={view} node={node} facts={facts} />
      ) : (
        <OpBody view={view} node={node} facts={facts} dialogs={dialogs} />
      )}
    </>
  );
};

interface HeadProps extends Pick<Props, 'view' | 'path' | 'onClose'> {
  readonly way: readonly OpNode[];
  readonly node: OpNode;
  readonly facts: OpFacts;
}

const OpHead = ({ view, path, way, node, facts, onClose }: HeadProps) => (
  <PanelHead
    title={titleOf(node, facts)}
    above={<Crumbs of={crumbsOf(way)} />}
    aside={
      <>
        <StateWord state={waitsForPerson(node) ? 'person' : (node.state as StateName)} />
        <SheetClose onPress={onClose} />
      </>
    }
  >
    <div class="line gaps">
      <a class="op" href={runHref(view.data.run, 'timeline', { selected: { kind: 'op', path } })}>
        {path}
      </a>
      <Copy text={location.href} label="Copy a link to this op" keys="y" />
      <span class="faint tiny-text">
        event {facts.firstSeq} {facts.lastSeq > facts.firstSeq && `to ${facts.lastSeq}`}
      </span>
    </div>
    <OpFigures node={node} facts={facts} start={view.times.value.start} />
  </PanelHead>
);

const Crumbs = ({ of: crumbs }: { readonly of: ReturnType<typeof crumbsOf> }) => {
  const here = address.value;
  return (
    <nav class="crumbs line tiny-text faint wraps" aria-label="Where it stands">
      {crumbs.map((crumb, index) => (
        <>
          {index > 0 && <span aria-hidden="true">›</span>}
          {index === crumbs.length - 1 ? (
            <span>{crumb.name}</span>
          ) : (
            <a
              class="link"
              href={hrefOf(here.place, { query: here.query, selected: { kind: 'op', path: crumb.path } })}
            >
              {crumb.name}
            </a>
          )}
        </>
      ))}
    </nav>
  );
};

const OpFigures = ({
  node,
  facts,
  start,
}: {
  readonly node: OpNode;
  readonly facts: OpFacts;
  readonly start: number;
}) => {
  const model = node.kind === 'turn' ? node.children.find(({ kind }) => kind === 'model') : undefined;
  const isAgent = node.kind === 'run' || node.kind === 'say';
  const totals = model?.own ?? (node.kind === 'compact' ? node.own : isAgent ? node.inclusive : undefined);
  const instant = facts.instant !== undefined;
  return (
    <Figures
      as="facts"
      of={[
        { name: 'began', value: sinceStart(facts.startedAt, start) },
        ...(instant
          ? []
          : [
              {
                name: 'took',
                value: node.state === 'in-doubt' ? '–' : <Lasting from={facts.startedAt} to={facts.endedAt} />,
              },
            ]),
        ...(totals === undefined || totals.calls === 0
          ? []
          : [
              { name: 'tokens', value: `${tokens(totals.input)} in, ${tokens(totals.output)} out` },
              { name: 'cost', value: costText(totals) },
            ]),
      ]}
    />
  );
};

/** A limit may end a run between two ops. Then it ended after its last turn, which went well. */
function endedAt({ data }: RunView, { path }: OpNode): boolean {
  const outcome = endingOf(data.extent.value.events, data.extent.value.count)?.outcome;
  return outcome !== undefined && isBroken(outcome) && failingOp(data.tree.value)?.path === path;
}

interface OpProps {
  readonly view: RunView;
  readonly node: OpNode;
  readonly facts: OpFacts;
}

const Sections = (props: OpProps & { readonly goOn?: ComponentChildren }) => {
  switch (props.node.kind) {
    case 'turn':
    case 'compact':
      return <ModelSections {...props} />;
    case 'tool':
      return <ToolSections {...props} />;
    case 'run':
    case 'say':
      return <AgentSections {...props} />;
    case 'approval':
      return <PersonSections {...props} />;
    default:
      return <InstantSections {...props} />;
  }
};

const OpBody = ({ dialogs, ...op }: OpProps & { readonly dialogs: RunDialogs }) => (
  <>
    <div class="panel-body" tabIndex={0}>
      <Sections {...op} />
    </div>
    <Foot view={op.view} path={op.node.path}>
      <Button icon="fork" keys="shift+f" onPress={() => dialogs.open('fork')}>
        Fork here
      </Button>
      <LinkButton href={whatIfHref(op.view.data.run, op.node.path)}>Try it otherwise</LinkButton>
    </Foot>
  </>
);

/** A turn that failed: the form of a fork, and the button that can help. Both are about the same fork. */
const FailedTurn = (op: OpProps) => {
  const { view, node, facts } = op;
  const remedy = remedyFor(faultOf(facts), view);
  const fork = useFork(view, node.path, remedy === undefined ? 'pinned' : 'today');
  const goOn = (
    <Section title="Go on from here">
      {remedy !== undefined && <p class="small-text">{remedy}</p>}
      <ForkFields view={view} at={node.path} fork={fork} />
    </Section>
  );
  return (
    <>
      <div class="panel-body" tabIndex={0}>
        <Sections {...op} goOn={goOn} />
      </div>
      <Foot view={view} path={node.path}>
        <ForkButton fork={fork} words={fork.agents === 'today' ? 'Fork with today’s files' : 'Fork and go on'} />
        {remedy !== undefined && fork.agents === 'today' && (
          <Button icon="fork" off={offline()} onPress={() => fork.start('pinned')}>
            Fork as it was
          </Button>
        )}
      </Foot>
    </>
  );
};

const faultOf = ({ result, attempts }: OpFacts): Fault | undefined =>
  result?.ok === false ? result.fault : attempts.at(-1)?.fault;

interface FootProps {
  readonly view: RunView;
  readonly path: string;
  readonly children: ComponentChildren;
}

const Foot = ({ view, path, children }: FootProps) => {
  const selected = { kind: 'op', path } as const;
  return (
    <footer class="panel-foot">
      {children}
      <LinkButton href={runHref(view.data.run, 'conversation', { selected })} keys="Enter">
        Conversation
      </LinkButton>
      <span class="grow" />
      <a class="btn bare" href={runHref(view.data.run, 'journal', { selected })}>
        Events
      </a>
    </footer>
  );
};
