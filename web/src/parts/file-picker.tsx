// Files that go along with a message: chosen, dropped or pasted, shown by picture, name and size, and taken away again. A
// picture or PDF is uploaded at once, and the server says what is wrong with it before anything is sent; a text goes with
// the message.

import { useEffect, useRef, useState } from 'preact/hooks';
import type { FileRef } from '../../../src/kernel/file-ref.ts';
import { bytes } from '../../../src/views/amounts.ts';
import { problemOf, reached } from '../data/api.ts';
import { Button } from './controls.tsx';
import { Icon } from './icon.tsx';

export type ChosenFile =
  | { readonly name: string; readonly text: string }
  | { readonly name: string; readonly file: FileRef; readonly picture?: ImageBitmap | undefined };

/** The files as a request has them. */
export const filesToSend = (files: readonly ChosenFile[]) =>
  files.map((one) => ('text' in one ? one : { name: one.name, digest: one.file.digest }));

const LONGEST_TEXT = 1024 * 1024;
const LARGEST = 20 * 1024 * 1024;
const MEDIA = /^(?:image\/(?:png|jpeg|gif|webp)|application\/pdf)$/;

async function read(given: File, takesMedia: boolean): Promise<ChosenFile | string> {
  const { name, size, type } = given;
  if (size > LARGEST) return `${name} has ${bytes(size)}; at most ${bytes(LARGEST)} are taken.`;
  if (MEDIA.test(type) || !(await isText(given))) return takesMedia ? upload(given) : `${name} is not a text. ${LATER}`;
  if (size > LONGEST_TEXT) return `${name} has ${bytes(size)}; a text has at most ${bytes(LONGEST_TEXT)}.`;
  return { name, text: await given.text() };
}

const LATER = 'Pictures and PDF files go with a question, not with a message to a run at work.';

async function isText(given: File): Promise<boolean> {
  try {
    return !new TextDecoder('utf-8', { fatal: true }).decode(await given.arrayBuffer()).includes('\0');
  } catch {
    return false;
  }
}

async function upload(given: File): Promise<ChosenFile | string> {
  try {
    const path = `/api/blobs?name=${encodeURIComponent(given.name)}`;
    const file = (await (await reached(path, { method: 'POST', body: given })).json()) as FileRef;
    const isPicture = file.type !== 'application/pdf';
    return { name: file.name, file, ...(isPicture && { picture: await smallPicture(given) }) };
  } catch (thrown) {
    return problemOf(thrown).message;
  }
}

const SIDE = 28;

const smallPicture = (given: File): Promise<ImageBitmap | undefined> =>
  createImageBitmap(given, { resizeHeight: 2 * SIDE, resizeQuality: 'medium' }).catch(() => undefined);

interface Props {
  readonly files: readonly ChosenFile[];
  readonly onChange: (files: readonly ChosenFile[]) => void;
  /** False: only texts go along. */
  readonly takesMedia?: boolean;
}

export const FilePicker = ({ files, onChange, takesMedia = true }: Props) => {
  const [refused, setRefused] = useState<readonly string[]>([]);
  const [coming, setComing] = useState(0);
  const place = useRef<HTMLDivElement>(null);
  const latest = useRef(files);
  latest.current = files;
  const add = async (given: Iterable<File>): Promise<void> => {
    const all = [...given];
    if (all.length === 0) return;
    setComing((count) => count + all.length);
    const taken = await Promise.all(all.map((one) => read(one, takesMedia)));
    setComing((count) => count - all.length);
    setRefused(taken.filter((one) => typeof one === 'string'));
    const fresh = taken.filter((one) => typeof one !== 'string');
    const kept = latest.current.filter(({ name }) => !fresh.some((one) => one.name === name));
    if (fresh.length > 0) onChange([...kept, ...fresh]);
  };
  useDropped(place, (given) => void add(given));
  return (
    <div class="files-picker line small-text wraps" ref={place}>
      <label class="files-add line soft" title={takesMedia ? 'Or drop or paste them here.' : undefined}>
        <Icon name="clip" />
        <span>{takesMedia ? 'Attach' : 'Attach texts'}</span>
        <input
          type="file"
          multiple
          aria-label={takesMedia ? 'Attach texts, pictures or documents' : 'Attach texts'}
          onChange={(event) => {
            void add([...(event.currentTarget.files ?? [])]);
            event.currentTarget.value = '';
          }}
        />
      </label>
      {files.map((one) => (
        <span key={one.name} class="att line soft">
          {'picture' in one && one.picture !== undefined ? <Thumbnail of={one.picture} /> : <Icon name="file" />}
          <span class="cut">
            {one.name} <small class="faint">{amountOf(one)}</small>
          </span>
          <Button
            kind="bare"
            size="tiny"
            icon="failed"
            label={`Take ${one.name} away`}
            onPress={() => onChange(files.filter(({ name }) => name !== one.name))}
          />
        </span>
      ))}
      {coming > 0 && (
        <span class="faint" role="status">
          {coming === 1 ? 'One file is coming up.' : `${coming} files are coming up.`}
        </span>
      )}
      {refused.map((why) => (
        <span key={why} class="err" role="alert">
          {why}
        </span>
      ))}
    </div>
  );
};

/** Files that are dropped on or pasted into the form around the picker, or the dialog that it stands in. */
function useDropped(place: { readonly current: HTMLElement | null }, take: (files: readonly File[]) => void): void {
  const taking = useRef(take);
  taking.current = take;
  useEffect(() => {
    const around = place.current?.closest<HTMLElement>('form, dialog, [role="dialog"]') ?? place.current;
    if (around === null) return undefined;
    const hear = (given: DataTransfer | null, event: Event): void => {
      const files = [...(given?.files ?? [])];
      if (files.length === 0) return;
      event.preventDefault();
      taking.current(files);
    };
    const dropped = (event: DragEvent): void => hear(event.dataTransfer, event);
    const pasted = (event: ClipboardEvent): void => hear(event.clipboardData, event);
    const over = (event: DragEvent): void => event.preventDefault();
    around.addEventListener('dragover', over);
    around.addEventListener('drop', dropped);
    around.addEventListener('paste', pasted);
    return () => {
      around.removeEventListener('dragover', over);
      around.removeEventListener('drop', dropped);
      around.removeEventListener('paste', pasted);
    };
  }, []);
}

/** A picture is drawn, because the page loads nothing but what its server gives. */
const Thumbnail = ({ of }: { readonly of: ImageBitmap }) => {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => canvas.current?.getContext('2d')?.drawImage(of, 0, 0), [of]);
  return <canvas ref={canvas} class="att-pic" width={of.width} height={of.height} aria-hidden="true" />;
};

const amountOf = (one: ChosenFile): string => ('text' in one ? bytes(one.text.length) : amountWords(one.file));

const amountWords = ({ bytes: size, width, height, pages }: FileRef): string => {
  const amount =
    pages === undefined ? `${width ?? '?'}×${height ?? '?'}` : `${pages} ${pages === 1 ? 'page' : 'pages'}`;
  return `${amount}, ${bytes(size)}`;
};

/** The files that came with a message of a run: each a download, a picture with its own small view. */
export const SentFiles = ({ run, files }: { readonly run: string; readonly files: readonly FileRef[] }) => (
  <p class="files-picker line small-text wraps">
    {files.map((file, index) => {
      const at = `/api/blobs/${file.digest}?run=${encodeURIComponent(run)}`;
      return (
        <a
          key={`${index} ${file.digest}`}
          class="att line soft"
          href={at}
          download={file.name}
          title={`Download ${file.name}`}
        >
          {file.type === 'application/pdf' ? (
            <Icon name="file" />
          ) : (
            <img class="att-pic" src={at} alt="" loading="lazy" />
          )}
          <span class="cut">
            {file.name} <small class="faint">{amountWords(file)}</small>
          </span>
        </a>
      );
    })}
  </p>
);
