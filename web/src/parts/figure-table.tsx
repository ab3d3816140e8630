// A table of names with figures: its columns say how each cell is set.

import type { ComponentChildren } from 'preact';

export interface FigureColumn {
  readonly title: string;
  /** `figure`: set to the right. `bar`: its title is for those who do not see it. */
  readonly as?: 'figure' | 'bar' | 'code';
  /** So is this title. */
  readonly quiet?: boolean;
}

export interface FigureRow {
  readonly key: string;
  readonly cells: readonly ComponentChildren[];
  /** `quiet`: nothing to look at. `marked`: what the table is about. */
  readonly look?: 'quiet' | 'marked';
}

interface Props {
  readonly columns: readonly FigureColumn[];
  readonly rows: readonly FigureRow[];
  readonly total?: readonly ComponentChildren[];
  readonly caption?: string;
  /** Its cells hold texts, which go on in further lines. */
  readonly isWrapped?: boolean;
}

const CLASSES = { figure: 'num', bar: 'table-bar', code: 'mono' } as const;

export const FigureTable = ({ columns, rows, total, caption, isWrapped }: Props) => (
  <table class={isWrapped === true ? 'tab wrapped' : 'tab'}>
    {caption !== undefined && <caption class="small-text soft">{caption}</caption>}
    <thead>
      <tr>
        {columns.map(({ title, as, quiet }) => (
          <th key={title} class={as === 'figure' ? 'num' : undefined}>
            {as === 'bar' || quiet === true ? <span class="sr">{title}</span> : title}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map(({ key, cells, look }) => (
        <Row key={key} {...{ columns, cells, look }} />
      ))}
    </tbody>
    {total !== undefined && (
      <tfoot>
        <Row columns={columns} cells={total} />
      </tfoot>
    )}
  </table>
);

interface RowProps {
  readonly columns: readonly FigureColumn[];
  readonly cells: readonly ComponentChildren[];
  readonly look?: FigureRow['look'] | undefined;
}

const Row = ({ columns, cells, look }: RowProps) => (
  <tr class={look}>
    {cells.map((cell, index) => {
      const { as } = columns[index] ?? {};
      return (
        <td key={index} class={as === undefined ? undefined : CLASSES[as]}>
          {cell}
        </td>
      );
    })}
  </tr>
);
