// The boxes and lines of the graph, as large as the pane allows: a graph that is wider is drawn smaller, and then scrolled.

import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { GraphState } from '../../../../src/views/run-graph.ts';
import { boxId, GraphBox } from './box.tsx';
import type { BoxWords } from './box-words.ts';
import { GraphLines } from './lines.tsx';
import type { Box, GraphPicture } from './picture.ts';

/** Smaller than this its words could not be read. */
const SMALLEST = 0.72;

interface Props {
  readonly picture: GraphPicture;
  readonly state: GraphState;
  /** Undefined: nothing of it just happened. */
  readonly now: number | undefined;
  readonly wordsOf: (box: Box) => BoxWords;
  readonly chosen: string | undefined;
  readonly onChoose: (name: string) => void;
}

export const Canvas = (props: Props) => {
  const { picture, state, now, chosen } = props;
  const pane = useRef<HTMLDivElement>(null);
  const scale = useScale(pane, picture);
  useLayoutEffect(() => {
    if (chosen !== undefined)
      document.getElementById(boxId(chosen))?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [chosen]);
  return (
    <div class="stack fills scrolls" ref={pane}>
      <div
        class="graph-all"
        role="listbox"
        aria-label="Who is at work"
        aria-activedescendant={chosen === undefined ? undefined : boxId(chosen)}
        tabIndex={0}
        style={{ width: `${picture.width}px`, height: `${picture.height}px`, zoom: scale }}
      >
        <GraphLines picture={picture} edges={state.edges} now={now} />
        {picture.boxes.map((box) => (
          <GraphBox
            key={box.name}
            box={box}
            node={state.nodes.get(box.name)}
            words={props.wordsOf(box)}
            chosen={box.name === chosen}
            onChoose={() => props.onChoose(box.name)}
          />
        ))}
      </div>
    </div>
  );
};

function useScale(pane: { readonly current: HTMLElement | null }, { width, height }: GraphPicture): number {
  const [scale, setScale] = useState(1);
  useLayoutEffect(() => {
    const element = pane.current;
    if (element === null) return undefined;
    const fit = (): void => {
      const fits = Math.min(element.clientWidth / width, element.clientHeight / height);
      setScale(Math.min(1, Math.max(SMALLEST, fits)));
    };
    const observer = new ResizeObserver(fit);
    observer.observe(element);
    fit();
    return () => observer.disconnect();
  }, [width, height]);
  return scale;
}
