// The graph on a phone: the same boxes as a list, each below the first one that leads to it.

import type { GraphNodeState } from '../../../../src/views/run-graph.ts';
import { StateMark } from '../../parts/state.tsx';
import type { BoxWords } from './box-words.ts';
import type { Box, GraphPicture } from './picture.ts';

interface Props {
  readonly picture: GraphPicture;
  readonly nodes: ReadonlyMap<string, GraphNodeState>;
  readonly wordsOf: (box: Box) => BoxWords;
  readonly chosen: string | undefined;
  readonly onChoose: (name: string) => void;
}

export const GraphTree = ({ picture, nodes, wordsOf, chosen, onChoose }: Props) => (
  <ul class="graph-tree paper fills scrolls" aria-label="Who is at work">
    {nested(picture).map(({ box, depth }) => {
      const words = wordsOf(box);
      const many = nodes.get(box.name)?.sessions.length ?? 0;
      return (
        <li key={box.name}>
          <button
            type="button"
            class="cols choosable small-text ruled"
            aria-pressed={box.name === chosen}
            style={{ paddingLeft: `${12 + depth * 18}px` }}
            onClick={() => onChoose(box.name)}
          >
            {words.state === 'none' ? <span /> : <StateMark state={words.state} />}
            <span class="stack">
              <strong class="cut">
                {box.name}
                {words.items !== undefined ? ' each' : many > 1 && ` × ${many}`}
              </strong>
              <span class="cut faint">{[words.doing, words.loop?.words].filter(Boolean).join(', ')}</span>
            </span>
            <span class="num faint">{words.cost}</span>
          </button>
        </li>
      );
    })}
  </ul>
);

function nested({ boxes, lines }: GraphPicture): readonly { readonly box: Box; readonly depth: number }[] {
  const found: { readonly box: Box; readonly depth: number }[] = [];
  const seen = new Set<string>();
  const visit = (box: Box | undefined, depth: number): void => {
    if (box === undefined || seen.has(box.name)) return;
    seen.add(box.name);
    found.push({ box, depth });
    for (const { from, to } of lines)
      if (from === box.name)
        visit(
          boxes.find(({ name }) => name === to),
          depth + 1,
        );
  };
  const led = new Set(lines.map(({ to }) => to));
  for (const box of boxes) if (!led.has(box.name)) visit(box, 0);
  for (const box of boxes) visit(box, 0);
  return found;
}
