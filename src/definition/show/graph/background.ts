// Edges that can form a cycle. Apart from the making of a graph, because the page draws one and makes none.

import type { GraphEdge } from '../graph.ts';

export const isBackground = ({ background }: GraphEdge): boolean => background === true;
