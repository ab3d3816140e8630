// The first visit of a person, when there are no runs: the agents to ask, the price, and beside them the graph of the folder.

import { useMemo, useState } from 'preact/hooks';
import type { CadreInfo } from '../../../../src/server/protocol.ts';
import { plural } from '../../../../src/views/amounts.ts';
import { cadre } from '../../data/cadre.ts';
import { AgentGraph, EdgeLegend } from '../agent-graph.tsx';
import { LoadingScreen } from '../loading.tsx';
import { AskAgent } from './ask-agent.tsx';
import { firstAgent, folderGraph } from './ask-words.ts';

export const FirstVisit = () => {
  const now = cadre();
  const [chosen, setChosen] = useState<string | undefined>(undefined);
  if (now === undefined) return <LoadingScreen />;
  const asked = chosen ?? firstAgent(now)?.name;
  return (
    <div class="first-visit full scrolls paper">
      <AskAgent cadre={now} isFirstVisit onChoose={setChosen} />
      {asked !== undefined && <FolderOf agent={asked} now={now} />}
    </div>
  );
};

/** The agents of its folder, and who leads to whom. */
const FolderOf = ({ agent, now }: { readonly agent: string; readonly now: CadreInfo }) => {
  const { folder, graph } = useMemo(() => folderGraph(agent, now), [agent, now]);
  return (
    <section
      class="first-graph pane ground"
      aria-label={folder === '' ? 'The agents' : `The agents of ${folder}`}
      tabIndex={0}
    >
      {folder !== '' && (
        <p class="first-folder line gaps soft">
          <b>{folder}</b> {plural(graph.nodes.length, 'agent')}
          <span class="grow" />
          <span class="faint">the folder of the chosen agent</span>
        </p>
      )}
      <div class="fills scrolls">
        <AgentGraph
          graph={graph}
          chosen={agent}
          diagnostics={now.diagnostics}
          says="you ask here"
          prefix={folder === '' ? '' : `${folder}/`}
        />
      </div>
      {graph.edges.length > 0 && <EdgeLegend graph={graph} />}
    </section>
  );
};
