// A table of names with figures: its columns say how each cell is set.

import type { ComponentChildren } from 'preact';

export interface FigureColumn {
  readonly title: string;
  /** `figure`: set to the right. `bar`: its title is for those who do not see it. */
  readonly as?: 'figure' | 'bar' | 'code';
}

export interface FigureRow {
  readonly key: string;
  readonly cells: readonly ComponentChildren[];
}

interface Props {
  readonly columns: readonly FigureColumn[];
  readonly rows: readonly FigureRow[];
  readonly total?: readonly ComponentChildren[];
}

const CLASSES = { figure: 'num', bar: 'table-bar', code: 'mono' } as const;

export const FigureTable = ({ columns, rows, total }: Props) => {
  const classOf = (index: number): string | undefined => {
    const { as } = columns[index] ?? {};
    return as === undefined ? undefined : CLASSES[as];
  };
  return (
    <table class="tab">
      <thead>
        <tr>
          {columns.map(({ title, as }) => (
            <th key={title} class={as === 'figure' ? 'num' : undefined}>
              {as === 'bar' ? <span class="sr">{title}</span> : title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, cells }) => (
          <tr key={key}>
            {cells.map((cell, index) => (
              <td key={index} class={classOf(index)}>
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
      {total !== undefined && (
        <tfoot>
          <tr>
            {total.map((cell, index) => (
              <td key={index} class={classOf(index)}>
                {cell}
              </td>
            ))}
          </tr>
        </tfoot>
      )}
    </table>
  );
};
