// The text in a row of the timeline that the filter looks at. Pure.

import type { FilteredRow } from '../../../../../src/views/runs/filter.ts';
import type { OpFacts } from '../../../../../src/views/tree/op-facts.ts';
import type { Row } from './rows.ts';

export function filteredOf(
  { node, kind, group, totals }: Row,
  facts: (path: string) => OpFacts | undefined,
): FilteredRow {
  const model = node.children.find((child) => child.kind === 'model');
  const said = facts(node.path);
  return {
    agent: node.agent,
    tool: kind === 'op' && node.kind === 'tool' ? node.name : undefined,
    model: model?.model ?? node.model,
    state: group === undefined ? node.state : group.map(({ state }) => state),
    trigger: node.trigger,
    op: node.path,
    type: node.kind,
    label: group === undefined ? node.label : group.map(({ label }) => label ?? '').join(' '),
    usd: totals?.usd,
    ms: node.ms,
    at: node.startedAt,
    text: [node.fault?.code, node.fault?.message, node.why, textOf(said)]
      .filter((part) => part !== undefined)
      .join('\n'),
  };
}

/** The request and the answer, as far as they are text. */
function textOf(facts: OpFacts | undefined): string {
  if (facts === undefined) return '';
  const { op, result } = facts;
  const asked =
    op?.kind === 'tool'
      ? op.call.arguments
      : op?.kind === 'run'
        ? op.input.text
        : op?.kind === 'model'
          ? op.added
          : undefined;
  const answered = result?.ok === true ? result.value : undefined;
  return JSON.stringify([asked, answered]);
}
