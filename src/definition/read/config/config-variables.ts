// `variables` of cadre.yaml: what `{{name}}` in a prompt stands for. They are texts for models, so nothing of the
// environment is filled in.

import { type Shape, wrongValue } from '../shape.ts';
import { record } from '../shape-object.ts';

const SAYS = 'a text, a number, true or false';

const variableShape: Shape<string> = {
  says: SAYS,
  schema: { type: ['string', 'number', 'boolean'] },
  read(node, path, reading) {
    if (node.kind === 'scalar' && node.value !== null) return String(node.value);
    return wrongValue(node, path, SAYS, reading);
  },
};

/** `include` has another meaning in a prompt. */
export const variablesShape = record(
  variableShape,
  /^(?!include$)[A-Za-z_][A-Za-z0-9_-]{0,63}$/,
  'a letter or _, then up to 63 letters, digits, _ or -, and not "include"',
);
