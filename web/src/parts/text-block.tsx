// A text that a model, tool or person gave, in a box: JSON as JSON, Markdown as Markdown where it is an answer, all else
// as it is. Long texts are cut, and whole at a press. In arguments of a call, what cannot be seen is written as escapes.

import { createContext } from 'preact';
import { useContext, useState } from 'preact/hooks';
import { escapeUnseenLines } from '../../../src/base/text/escape-unseen.ts';
import { bytes } from '../../../src/views/amounts.ts';
import { Button } from './controls.tsx';
import { CallArguments, JsonText, parsedJson } from './json-text.tsx';
import { Markdown } from './markdown.tsx';

/** The letters of a text that are in the document before a press: a document in which nobody presses anything has more. */
export const ShownLetters = createContext(4000);

/** Texts of more letters or lines may have to be scrolled, also by keys: fewer are never higher than the box may be. */
const scrolls = (text: string): boolean => text.length > 800 || text.split('\n', 13).length > 12;

interface Props {
  readonly text: string;
  readonly as?: 'plain' | 'code' | 'markdown' | 'arguments';
  readonly tone?: 'usual' | 'bad';
  /** The cut of the stream: the size of the whole, and the way to get it. */
  readonly whole?: { readonly bytes: number; readonly get: () => Promise<string> } | undefined;
}

export const TextBlock = ({ text, as = 'plain', tone = 'usual', whole }: Props) => {
  const [all, setAll] = useState<string | undefined>(undefined);
  const [open, setOpen] = useState(false);
  const given = all ?? text;
  const most = useContext(ShownLetters);
  const long = given.length > most && !open;
  const shown = long ? given.slice(0, most) : given;
  const size = whole !== undefined && all === undefined ? whole.bytes : given.length;
  const more = (): void => {
    setOpen(true);
    if (whole !== undefined && all === undefined) void whole.get().then(setAll);
  };
  return (
    <>
      <Body text={shown} as={as} tone={tone} />
      {(long || (whole !== undefined && all === undefined)) && (
        <Button kind="bare" size="small" onPress={more}>
          Show all {bytes(size)}
        </Button>
      )}
    </>
  );
};

const Body = ({ text, as, tone }: Required<Pick<Props, 'text' | 'as' | 'tone'>>) => {
  const json = as === 'markdown' ? undefined : parsedJson(text);
  if (json !== undefined) return as === 'arguments' ? <CallArguments given={json} /> : <JsonText value={json} />;
  const looks = ['text', as === 'code' || as === 'arguments' ? 'code' : '', tone === 'bad' ? 'bad' : ''].filter(
    (look) => look !== '',
  );
  return (
    <div class={looks.join(' ')} tabIndex={scrolls(text) ? 0 : undefined}>
      {as === 'markdown' ? (
        <Markdown text={text} />
      ) : (
        <Lines text={as === 'arguments' ? escapeUnseenLines(text) : text} />
      )}
    </div>
  );
};

/** Keeps the line ends of a text. */
const Lines = ({ text }: { readonly text: string }) => (
  <span class="pre" dir="auto">
    {text}
  </span>
);
