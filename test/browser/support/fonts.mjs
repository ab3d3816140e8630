// The fonts that the page is designed with, from npm, for pictures that are the same on each machine. The page itself loads
// no font: it uses them where a machine has them.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const { resolve } = createRequire(import.meta.url);

const FONTS = [
  ['Inter', 'inter', [400, 500, 600]],
  ['JetBrains Mono', 'jetbrains-mono', [400, 600]],
];

/** A script for `addInitScript`: the page finds both fonts as if they were installed. */
export function fontScript() {
  const faces = FONTS.flatMap(([family, name, weights]) =>
    weights.flatMap((weight) =>
      ['latin', 'latin-ext'].map((part) => {
        const file = resolve(`@fontsource/${name}/files/${name}-${part}-${weight}-normal.woff2`);
        return { family, weight, range: RANGES[part], bytes: readFileSync(file).toString('base64') };
      }),
    ),
  );
  return `for (const { family, weight, range, bytes } of ${JSON.stringify(faces)}) {
    const data = Uint8Array.from(atob(bytes), (one) => one.charCodeAt(0));
    document.fonts.add(new FontFace(family, data, { weight: String(weight), unicodeRange: range }));
  }`;
}

/** The letters of each file, as the style sheets of the packages say. */
const RANGES = {
  latin:
    'U+0000-00FF,U+0131,U+0152-0153,U+02BB-02BC,U+02C6,U+02DA,U+02DC,U+0304,U+0308,U+0329,U+2000-206F,U+20AC,U+2122,U+2191,U+2193,U+2212,U+2215,U+FEFF,U+FFFD',
  'latin-ext': 'U+0100-0130,U+0132-0151,U+0154-02BA,U+02BD-02C5,U+02C7-02CC,U+02CE-02D7,U+02DD-02FF,U+1E00-1E9F',
};
