// Files that go along with a message: chosen, dropped or pasted, shown by picture, name and size, and taken away again. A
// picture or PDF is uploaded at once, and the server says what is wrong with it before anything is sent; a text goes with
// the message.

import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { FILE_KINDS, type FileRef, MOST_FILES } from '../../../src/kernel/file-ref.ts';
import { bytes } from '../../../src/views/amounts.ts';
import { problemOf, reached } from '../data/api.ts';
import { type ChosenFile, type ChosenKind, type FileRefusal, filesThatFit, refusedOf } from '../data/chosen-files.ts';
import { Button } from './controls.tsx';
import { Icon } from './icon.tsx';

const LONGEST_TEXT = 1024 * 1024;
const LARGEST = 20 * 1024 * 1024;
const MEDIA = /^(?:image\/(?:png|jpeg|gif|webp)|application\/pdf)$/;

/** A file that does not go along is not uploaded, as far as its kind is known before. */
async function read(given: File, refusal: FileRefusal): Promise<ChosenFile | string> {
  const { name, size } = given;
  if (size > LARGEST) return `${name} has ${bytes(size)}; at most ${bytes(LARGEST)} are taken.`;
  const kind = await kindOf(given);
  const why = kind === undefined ? undefined : refusal(kind);
  if (why !== undefined) return `${name} cannot go along: ${why}`;
  if (kind === 'text' && size > LONGEST_TEXT)
    return `${name} has ${bytes(size)}; a text has at most ${bytes(LONGEST_TEXT)}.`;
  const taken = kind === 'text' ? { name, text: await given.text() } : await upload(given);
  return typeof taken === 'string' ? taken : (refusedOf([taken], refusal) ?? taken);
}

/** Undefined for what is neither by its name nor a text: the server looks at its bytes. */
async function kindOf(given: File): Promise<ChosenKind | undefined> {
  if (MEDIA.test(given.type)) return given.type === 'application/pdf' ? 'pdf' : 'image';
  return (await isText(given)) ? 'text' : undefined;
}

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
  readonly refusal: FileRefusal;
}

const KIND_WORDS = { text: 'texts', image: 'pictures', pdf: 'documents' } as const;

export const FilePicker = ({ files, onChange, refusal }: Props) => {
  const place = useRef<HTMLDivElement>(null);
  const { add, refused, coming } = useAdding({ files, onChange, refusal });
  useDropped(place, (given) => void add(given));
  const kinds = (['text', ...FILE_KINDS] as const).filter((kind) => refusal(kind) === undefined);
  return (
    <div class="files-picker gaps line small-text wraps" ref={place}>
      {kinds.length > 0 && <Attach kinds={kinds} onGiven={(given) => void add(given)} />}
      {files.map((one) => (
        <Chip key={one.name} of={one}>
          <Button
            kind="bare"
            size="tiny"
            icon="failed"
            label={`Take ${one.name} away`}
            onPress={() => onChange(files.filter(({ name }) => name !== one.name))}
          />
        </Chip>
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

interface AttachProps {
  readonly kinds: readonly (keyof typeof KIND_WORDS)[];
  readonly onGiven: (files: readonly File[]) => void;
}

const Attach = ({ kinds, onGiven }: AttachProps) => (
  <label class="files-add gaps-6 line soft" title="Or drop or paste them here.">
    <Icon name="clip" />
    <span>{kinds.join() === 'text' ? 'Attach texts' : 'Attach'}</span>
    <input
      class="sr"
      type="file"
      multiple
      aria-label={`Attach ${KINDS.format(kinds.map((kind) => KIND_WORDS[kind]))}`}
      onChange={(event) => {
        onGiven([...(event.currentTarget.files ?? [])]);
        event.currentTarget.value = '';
      }}
    />
  </label>
);

/** Reads files and uploads them; those that cannot go along are refused with their reasons. */
function useAdding({ files, onChange, refusal }: Props) {
  const [refused, setRefused] = useState<readonly string[]>([]);
  const [coming, setComing] = useState(0);
  const comingBytes = useRef(0);
  const latest = useRef(files);
  latest.current = files;
  const latestRefusal = useRef(refusal);
  latestRefusal.current = refusal;
  const add = async (given: Iterable<File>): Promise<void> => {
    const all = [...given];
    if (all.length === 0) return;
    const { fit, refused: over } = filesThatFit(all, latest.current, comingBytes.current);
    const size = fit.reduce((sum, one) => sum + one.size, 0);
    comingBytes.current += size;
    setComing((count) => count + fit.length);
    const taken = await Promise.all(fit.map((one) => read(one, latestRefusal.current)));
    setComing((count) => count - fit.length);
    comingBytes.current -= size;
    const fresh = taken.filter((one) => typeof one !== 'string');
    const kept = latest.current.filter(({ name }) => !fresh.some((one) => one.name === name));
    const isTooMany = kept.length + fresh.length > MOST_FILES;
    const tooMany = isTooMany ? [`At most ${MOST_FILES} files go with a message; the rest is left out.`] : [];
    setRefused([...over, ...taken.filter((one) => typeof one === 'string'), ...tooMany]);
    if (fresh.length > 0) onChange([...kept, ...fresh].slice(0, MOST_FILES));
  };
  return { add, refused, coming };
}

/** `texts, pictures or documents` */
const KINDS = new Intl.ListFormat('en-GB', { type: 'disjunction' });

const Chip = ({ of, children }: { readonly of: ChosenFile; readonly children?: ComponentChildren }) => (
  <span class="att gaps-6 line soft">
    {'picture' in of && of.picture !== undefined ? <Thumbnail of={of.picture} /> : <Icon name="file" />}
    <span class="cut" dir="auto">
      {of.name} <small class="faint">{amountOf(of)}</small>
    </span>
    {children}
  </span>
);

/** The files of a message that is on its way. */
export const ChosenFiles = ({ files }: { readonly files: readonly ChosenFile[] }) =>
  files.length === 0 ? null : (
    <p class="files-picker gaps line small-text wraps">
      {files.map((one) => (
        <Chip key={one.name} of={one} />
      ))}
    </p>
  );

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
  <p class="files-picker gaps line small-text wraps">
    {files.map((file, index) => {
      const at = `/api/blobs/${file.digest}?run=${encodeURIComponent(run)}`;
      return (
        <a
          key={`${index} ${file.digest}`}
          class="att gaps-6 line soft"
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
