// The graph of the agents, drawn by hand on the project's own layout: the same picture as `cadre graph`. Each box says what
// its agent does.

import { useMemo } from 'preact/hooks';
import { layoutOf, type Spot } from '../../../src/definition/show/graph/layout.ts';
import type { Diagnostic, Graph } from '../../../src/server/protocol.ts';
import { agentHref } from '../app/addresses.ts';
import { go } from '../app/router.ts';
import { Arrowheads } from './arrowheads.tsx';
import {
  dashOf,
  EDGE_KINDS,
  edgeColour,
  type GraphSizes,
  labelSpot,
  leftOf,
  linePath,
  widthOf,
} from './graph-lines.ts';
import { Icon } from './icon.tsx';
import './agent-graph.css';

const SIZES: GraphSizes = { width: 168, between: 100, margin: 24 };
const BOX = 60;

interface Props {
  readonly graph: Graph;
  readonly chosen: string | undefined;
  readonly diagnostics: readonly Diagnostic[];
  /** Sessions that work now, by agent. */
  readonly live?: ReadonlyMap<string, number>;
  /** The words over the chosen one. */
  readonly says?: string;
  /** The folder of all of them, which stands beside the graph. */
  readonly prefix?: string;
}

export const AgentGraph = (props: Props) => {
  const { graph } = props;
  const layout = useMemo(() => layoutOf(graph, BOX), [graph]);
  const [width, height] = [widthOf(layout.layers.length, SIZES), SIZES.margin * 2 + layout.height];
  return (
    <div class="agents-graph wide-only">
      <div class="agents-canvas" style={{ width: `${width}px`, height: `${height}px` }}>
        <svg width={width} height={height} aria-hidden="true" focusable="false">
          <Arrowheads id="arrow" />
          {graph.edges.map((edge, index) => (
            <path
              key={`${edge.from} ${edge.to} ${edge.label}`}
              class={`graph-line used e-${edgeColour(edge.kind)} ${dashOf(edge.kind, edge.dashed)}`}
              d={linePath(layout.routes[index] ?? [], SIZES)}
              marker-end={`url(#arrow-${edgeColour(edge.kind)})`}
            />
          ))}
        </svg>
        {graph.edges.map((edge, index) => {
          const at = labelSpot(layout.routes[index] ?? [], SIZES);
          return (
            <span
              key={`${edge.from} ${edge.to} ${edge.label}`}
              class={`graph-label e-${edgeColour(edge.kind)}`}
              style={{ left: `${at.x}px`, top: `${at.y}px` }}
            >
              {edge.label}
            </span>
          );
        })}
        <ul aria-label="Agents">
          {graph.nodes.map((node) => {
            const spot = layout.spots.get(node.name);
            return spot === undefined ? null : <Node key={node.name} {...props} node={node} spot={spot} />;
          })}
        </ul>
      </div>
    </div>
  );
};

interface NodeProps extends Props {
  readonly node: Graph['nodes'][number];
  readonly spot: Spot;
}

const Node = ({ node, spot, chosen, diagnostics, live, says, prefix = '' }: NodeProps) => {
  const own = diagnostics.filter(({ file }) => file === node.file);
  const isWrong = own.some(({ severity }) => severity === 'error');
  const working = live?.get(node.name) ?? 0;
  const isChosen = node.name === chosen;
  return (
    <li>
      <a
        href={agentHref(node.name)}
        class={`agents-node boxed paper small-text${isChosen ? ' chosen' : ''}`}
        aria-current={isChosen ? 'true' : undefined}
        title={node.description}
        style={{
          left: `${leftOf(spot, SIZES)}px`,
          top: `${SIZES.margin + spot.y}px`,
          width: `${SIZES.width}px`,
          height: `${spot.height}px`,
        }}
        onDblClick={() => go(`${agentHref(node.name)}/start`)}
      >
        <NodeName name={node.name} folder={node.name.slice(prefix.length, node.name.lastIndexOf('/') + 1)} />
        {isChosen && says !== undefined && <span class="agents-says tiny-text nowrap">{says}</span>}
        {node.description !== undefined && (
          <span class="clamp tiny-text soft" dir="auto">
            {node.description}
          </span>
        )}
        {own.length > 0 && (
          <span class={`agents-mark s-${isWrong ? 'bad' : 'limit'}`}>
            <Icon name={isWrong ? 'failed' : 'warn'} />
            <span class="sr">{own.length} findings</span>
          </span>
        )}
        {working > 0 && <span class="badge agents-live tiny-text">{working}</span>}
      </a>
    </li>
  );
};

/** If there is no room for both, the folder is cut and not the name. */
const NodeName = ({ name, folder }: { readonly name: string; readonly folder: string }) => (
  <strong class="line" title={name}>
    <span class="cut">{folder}</span>
    <span class="cut">{name.slice(name.lastIndexOf('/') + 1)}</span>
  </strong>
);

/** The meaning of each kind of line, of those that a graph has. */
const MEANINGS: Readonly<Record<string, string>> = {
  advisors: 'asked first, at the same time',
  router: 'sends it to one of them',
  next: 'follows',
  agents: 'may be asked',
  team: 'work on it together',
  handoff: 'may be handed the conversation',
  repeat: 'judges the answer',
};

export const EdgeLegend = ({ graph }: Pick<Props, 'graph'>) => (
  <ul class="legend line ruled-above tiny-text faint paper wraps" aria-label="What the lines mean">
    {EDGE_KINDS.filter((kind) => graph.edges.some((edge) => edgeColour(edge.kind) === kind)).map((kind) => (
      <li key={kind}>
        <svg width="24" height="8" class={`graph-line used e-${kind} ${dashOf(kind, undefined)}`} aria-hidden="true">
          <path d="M0 4H24" />
        </svg>
        {kind}: {MEANINGS[kind]}
      </li>
    ))}
  </ul>
);
