// Reads a file that the texts of a cadre name, such as a part of a prompt: a text file in the folder of the cadre. Never throws.

import { isUtf8 } from 'node:buffer';
import { join } from 'node:path';
import { readRegular, UnusableFile } from '../../base/disk/regular.ts';
import { MAX_FILE_BYTES } from './folder.ts';

export type PartText = { readonly text: string } | { readonly message: string; readonly help: string };

export function readPartFile(folder: string, file: string): PartText {
  try {
    const bytes = readRegular(join(folder, file), { maxBytes: MAX_FILE_BYTES, within: folder });
    if (bytes.includes(0) || !isUtf8(bytes))
      return { message: `${file} is not text in UTF-8`, help: 'Save it as UTF-8, or include another file.' };
    return { text: bytes.toString('utf8') };
  } catch (thrown) {
    if (thrown instanceof UnusableFile) {
      const help = thrown.trouble === 'outside' ? 'Copy the file into the folder.' : 'Include a smaller, regular file.';
      return { message: thrown.message, help };
    }
    const { code, message } = thrown as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR')
      return { message: `there is no file ${file}`, help: 'The path is relative to the file that includes it.' };
    return { message: `${file} cannot be read: ${message}`, help: 'Make it readable, or include another file.' };
  }
}
