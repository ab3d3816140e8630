// The graph of a run at the moment that is looked at: what the journal says, and while that is now, what is written.

import { computed, type ReadonlySignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { GraphFold, type GraphState, graphNodes } from '../../../../src/views/run-graph.ts';
import { folded } from '../../data/folded.ts';
import type { RunData } from '../../data/run-data.ts';

export interface RunGraphView {
  /** The number of events at that moment. */
  readonly count: number;
  readonly state: GraphState;
  /** Agents that have worked by now, whichever moment is looked at. */
  readonly used: ReadonlySet<string>;
}

/** All events are taken in once: going back in time reads a state that was kept. */
export function useGraph(data: RunData): ReadonlySignal<RunGraphView> {
  return useMemo(() => {
    const graph = folded(() => new GraphFold());
    const known = new Set<string>();
    let used: ReadonlySet<string> = known;
    return computed(() => {
      const all = data.count.value;
      const fold = graph.upTo({ events: data.events, count: all, settled: false });
      const count = data.extent.value.count;
      const state = fold.at(count);
      const isNow = count === all;
      const agents = isNow ? [...state.nodes.keys()] : [...fold.at(all).nodes.keys()];
      if (agents.some((agent) => !known.has(agent))) {
        for (const agent of agents) known.add(agent);
        used = new Set(known);
      }
      if (!isNow) return { count, state, used };
      const said = [...state.nodes.values()].flatMap((node) =>
        node.said.map((number) => ({ agent: node.agent, number })),
      );
      return { count, state: { ...state, nodes: graphNodes(data.progress.value.sessions, said) }, used };
    });
  }, [data]);
}
