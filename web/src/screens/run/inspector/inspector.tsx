// The selected op: what it was told, what it answered, where that went, and what can be done from here.

import { tokens } from '../../../../../src/views/amounts.ts';
import type { OpFacts } from '../../../../../src/views/tree/op-facts.ts';
import type { OpNode } from '../../../../../src/views/tree/op-tree.ts';
import { hrefOf, runHref } from '../../../app/addresses.ts';
import { address } from '../../../app/router.ts';
import { Button, Copy, LinkButton, SheetClose } from '../../../parts/controls.tsx';
import { Facts } from '../../../parts/panel.tsx';
import { type StateName, StateWord } from '../../../parts/state.tsx';
import { Lasting, sinceStart } from '../../../parts/times.tsx';
import { ForkButton, useFork } from '../actions/fork-form.tsx';
import type { RunDialogs } from '../actions/run-actions.tsx';
import { costText } from '../run-facts.ts';
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
      <div class="panel-head">
        <h2>Nothing at {path}</h2>
        <p class="faint small-text">
          {view.data.shownAt.value === undefined ? 'This run has no such op.' : 'It had not begun then.'}
        </p>
        <Button size="small" onPress={onClose}>
          Close
        </Button>
      </div>
    );
  }
  const { start } = view.times.value;
  const crumbs = crumbsOf(way);
  const here = address.value;
  const state: StateName = waitsForPerson(node) ? 'person' : node.state;
  return (
    <>
      <div class="panel-head">
        <nav class="crumbs" aria-label="Where it stands">
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
        <h2>
          <span>{titleOf(node, facts)}</span>
          <span class="grow" />
          <StateWord state={state} />
          <SheetClose onPress={onClose} />
        </h2>
        <div class="op-line">
          <a class="op" href={runHref(view.data.run, 'timeline', { selected: { kind: 'op', path } })}>
            {path}
          </a>
          <Copy text={location.href} label="Copy a link to this op" keys="y" />
          <span class="faint tiny-text">
            event {facts.firstSeq} {facts.lastSeq > facts.firstSeq && `to ${facts.lastSeq}`}
          </span>
        </div>
        <OpFigures node={node} facts={facts} start={start} />
      </div>
      <Body view={view} node={node} facts={facts} />
      <Foot view={view} node={node} path={path} dialogs={dialogs} />
    </>
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
  const totals = model?.own ?? (isAgent ? node.inclusive : undefined);
  const instant = facts.instant !== undefined;
  return (
    <Facts
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

const Body = ({ view, node, facts }: { readonly view: RunView; readonly node: OpNode; readonly facts: OpFacts }) => (
  <div class="panel-body" tabIndex={0}>
    <Sections view={view} node={node} facts={facts} />
  </div>
);

const Sections = (props: { readonly view: RunView; readonly node: OpNode; readonly facts: OpFacts }) => {
  switch (props.node.kind) {
    case 'turn':
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

const Foot = (props: {
  readonly view: RunView;
  readonly node: OpNode;
  readonly path: string;
  readonly dialogs: RunDialogs;
}) => {
  const { view, node, path } = props;
  const selected = { kind: 'op', path } as const;
  const canGoOn = isBad(node) && node.kind === 'turn';
  return (
    <footer class="panel-foot">
      {canGoOn ? (
        <GoOn view={view} path={path} />
      ) : (
        <Button icon="fork" keys="shift+f" onPress={() => props.dialogs.open('fork')}>
          Fork here
        </Button>
      )}
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

const GoOn = ({ view, path }: { readonly view: RunView; readonly path: string }) => {
  const fork = useFork(view, path);
  return <ForkButton fork={fork} words="Fork and go on" />;
};
