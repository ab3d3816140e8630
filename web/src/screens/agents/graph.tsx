// The graph of the agents, drawn by hand on the project's own layout: the same picture as `cadre graph`.

import { useMemo } from 'preact/hooks';
import { layoutOf } from '../../../../src/definition/show/graph/layout.ts';
import type { Diagnostic, Graph } from '../../../../src/server/protocol.ts';
import { agentHref } from '../../app/addresses.ts';
import { go } from '../../app/router.ts';
import {
  dashOf,
  EDGE_KINDS,
  edgeColour,
  type GraphSizes,
  labelSpot,
  leftOf,
  linePath,
  widthOf,
} from '../../parts/graph-lines.ts';
import { Icon } from '../../parts/icon.tsx';
import { worstOf } from './findings.ts';

const SIZES: GraphSizes = { width: 152, between: 116, margin: 24 };

interface Props {
  readonly graph: Graph;
  readonly chosen: string | undefined;
  readonly diagnostics: readonly Diagnostic[];
  /** Sessions that work now, by agent. */
  readonly live: ReadonlyMap<string, number>;
}

export const AgentGraph = ({ graph, chosen, diagnostics, live }: Props) => {
  const layout = useMemo(() => layoutOf(graph), [graph]);
  const width = widthOf(layout.layers.length, SIZES);
  const height = SIZES.margin * 2 + layout.height;
  return (
    <div class="agents-graph">
      <div class="agents-canvas" style={{ width: `${width}px`, height: `${height}px` }}>
        <svg width={width} height={height} aria-hidden="true" focusable="false">
          <defs>
            {EDGE_KINDS.map((kind) => (
              <marker
                key={kind}
                id={`arrow-${kind}`}
                class={`e-${kind}`}
                viewBox="0 0 8 8"
                refX="7"
                refY="4"
                markerWidth="7"
                markerHeight="7"
                orient="auto"
              >
                <path d="M0 0.5L7.5 4L0 7.5z" fill="currentColor" />
              </marker>
            ))}
          </defs>
          {graph.edges.map((edge, index) => (
            <path
              key={`${edge.from} ${edge.to} ${edge.label}`}
              class={`agents-edge e-${edgeColour(edge.kind)} ${dashOf(edge.kind, edge.dashed)}`}
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
              class={`agents-label e-${edgeColour(edge.kind)}`}
              style={{ left: `${at.x}px`, top: `${at.y}px` }}
            >
              {edge.label}
            </span>
          );
        })}
        <ul aria-label="Agents">
          {graph.nodes.map((node) => {
            const spot = layout.spots.get(node.name);
            if (spot === undefined) return null;
            const own = diagnostics.filter(({ file }) => file === node.file);
            const worst = worstOf(own);
            const working = live.get(node.name) ?? 0;
            return (
              <li key={node.name}>
                <a
                  href={agentHref(node.name)}
                  class={node.name === chosen ? 'agents-node chosen' : 'agents-node'}
                  aria-current={node.name === chosen ? 'true' : undefined}
                  style={{
                    left: `${leftOf(spot, SIZES)}px`,
                    top: `${SIZES.margin + spot.y}px`,
                    width: `${SIZES.width}px`,
                    height: `${spot.height}px`,
                  }}
                  onDblClick={() => go(`${agentHref(node.name)}/start`)}
                >
                  <NodeName name={node.name} />
                  <code>{node.patterns.length === 0 ? 'plain' : node.patterns.join(', ')}</code>
                  {worst !== undefined && (
                    <span class={`agents-mark s-${worst === 'error' ? 'bad' : 'limit'}`}>
                      <Icon name={worst === 'error' ? 'failed' : 'warn'} />
                      <span class="sr">{own.length} findings</span>
                    </span>
                  )}
                  {working > 0 && <span class="agents-live">{working}</span>}
                </a>
              </li>
            );
          })}
        </ul>
      </div>
    </div>
  );
};

/** If there is no room for both, the folder is cut and not the name. */
const NodeName = ({ name }: { readonly name: string }) => {
  const from = name.lastIndexOf('/') + 1;
  return (
    <strong title={name}>
      <span>{name.slice(0, from)}</span>
      <span>{name.slice(from)}</span>
    </strong>
  );
};
