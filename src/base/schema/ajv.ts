// Ajv, loaded for the first schema that needs it. Validators are made in the middle of synchronous work, so it is loaded
// by `require`. The build keeps it as files beside the chunks.

import { createRequire } from 'node:module';
import type { Ajv, Options } from 'ajv';

export type Dialect = '2020-12' | 'draft-07';

const require = createRequire(import.meta.url);

export function newAjv(dialect: Dialect, options: Options): Ajv {
  const made = dialect === 'draft-07' ? require('ajv') : require('ajv/dist/2020.js');
  return new (made as { readonly default: new (options: Options) => Ajv }).default(options);
}

export function addFormats(ajv: Ajv): void {
  (require('ajv-formats') as { readonly default: (ajv: Ajv) => void }).default(ajv);
}
