// A change that a person is asked about: file by file, with the numbers of both sides. Text alone, never markup.

import { useState } from 'preact/hooks';
import { type DiffFile, type DiffRow, diffFiles } from '../../../../src/views/asking/diff-rows.ts';
import { Icon } from '../icon.tsx';

/** Longer changes are folded to their beginning. */
const FOLDED_FROM = 200;
const FIRST = 60;
/** No change that a person reads is longer, and a browser would take too long to draw one. */
const MOST = 5000;

export const linesOf = (files: readonly DiffFile[]): number => files.reduce((sum, { rows }) => sum + rows.length, 0);

export const Counts = ({ of }: { readonly of: Pick<DiffFile, 'added' | 'removed'> }) => (
  <>
    <span class="state s-good">+{of.added}</span>
    <span class="state s-bad">−{of.removed}</span>
  </>
);

export const Diff = ({ text, paths }: { readonly text: string; readonly paths: readonly string[] }) => {
  const files = diffFiles(text);
  return (
    <>
      {files.map((file, index) => (
        <OneFile key={index} file={file} path={file.path ?? paths[index] ?? ''} isAlone={files.length === 1} />
      ))}
    </>
  );
};

const OneFile = (props: { readonly file: DiffFile; readonly path: string; readonly isAlone: boolean }) => {
  const { file, path } = props;
  const [whole, setWhole] = useState(file.rows.length <= FOLDED_FROM);
  const shown = file.rows.slice(0, whole ? MOST : FIRST);
  const left = file.rows.length - shown.length;
  return (
    <div
      class="df boxed paper"
      role="group"
      aria-label={`Change of ${path}: ${file.added} added, ${file.removed} removed`}
    >
      <header class="line wraps ruled ground small-text soft">
        <Icon name="file" />
        <code class="strong breaks" dir="auto">
          {path}
        </code>
        <Counts of={file} />
        <span class="grow" />
        {!whole && (
          <button type="button" class="link under small-text" onClick={() => setWhole(true)}>
            whole file
          </button>
        )}
      </header>
      <div class="df-lines scrolls" tabIndex={0} role="region" aria-label={`Lines of ${path}`}>
        {shown.map((row, index) => (
          <Line key={index} row={row} />
        ))}
        {left > 0 && (
          <div class="l place faint pre breaks">
            <i />
            <i />
            <span />
            <span>
              … {left} of {file.rows.length} lines not shown …
            </span>
          </div>
        )}
      </div>
    </div>
  );
};

const SIGNS: Readonly<Record<DiffRow['kind'], string>> = { same: '', place: '', added: '+', removed: '−' };

const Line = ({ row }: { readonly row: DiffRow }) => (
  <div class={`l pre breaks ${row.kind}`}>
    <i>{row.before}</i>
    <i>{row.after}</i>
    <span>{SIGNS[row.kind]}</span>
    <span dir="auto">{row.mark === undefined ? row.text || ' ' : <Marked text={row.text} mark={row.mark} />}</span>
  </div>
);

const Marked = ({ text, mark: [from, to] }: { readonly text: string; readonly mark: readonly [number, number] }) => (
  <>
    {text.slice(0, from)}
    {to > from && <mark>{text.slice(from, to)}</mark>}
    {text.slice(to)}
  </>
);
