// Text files that go along with a message: chosen or dropped, shown by name and size, and taken away again. What is not
// text, or too large, is refused here, before anything is sent.

import { useState } from 'preact/hooks';
import { bytes } from '../../../src/views/amounts.ts';
import { Button } from './controls.tsx';

export interface ChosenFile {
  readonly name: string;
  readonly text: string;
}

const LARGEST = 1024 * 1024;

async function read(file: File): Promise<ChosenFile | string> {
  if (file.size > LARGEST) return `${file.name} has ${bytes(file.size)}; at most ${bytes(LARGEST)} are taken.`;
  const text = await file.text();
  if (text.includes('\0') || text.includes('\uFFFD')) return `${file.name} is not a text file.`;
  return { name: file.name, text };
}

interface Props {
  readonly files: readonly ChosenFile[];
  readonly onChange: (files: readonly ChosenFile[]) => void;
}

export const FilePicker = ({ files, onChange }: Props) => {
  const [refused, setRefused] = useState<readonly string[]>([]);
  const add = async (given: FileList | null | undefined): Promise<void> => {
    const taken = await Promise.all([...(given ?? [])].map(read));
    setRefused(taken.filter((one) => typeof one === 'string'));
    const fresh = taken.filter((one) => typeof one !== 'string');
    if (fresh.length > 0) onChange([...files.filter(({ name }) => !fresh.some((one) => one.name === name)), ...fresh]);
  };
  return (
    <div
      class="files-picker line small-text wraps"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void add(event.dataTransfer?.files);
      }}
    >
      <label class="files-add line soft">
        <span>Attach text files</span>
        <input
          type="file"
          multiple
          onChange={(event) => {
            void add(event.currentTarget.files);
            event.currentTarget.value = '';
          }}
        />
      </label>
      {files.map(({ name, text }) => (
        <span key={name} class="tag">
          {name} <span class="faint">{bytes(text.length)}</span>
          <Button
            kind="bare"
            size="tiny"
            icon="failed"
            label={`Take ${name} away`}
            onPress={() => onChange(files.filter((one) => one.name !== name))}
          />
        </span>
      ))}
      {refused.map((why) => (
        <span key={why} class="err" role="alert">
          {why}
        </span>
      ))}
    </div>
  );
};
