// The names that src exports, and the three rules that hold them: a name is declared once, it is no bare participle,
// preposition or quantifier, and a file imports it. test/exported-names.test.ts checks them.

import { dirname, join } from 'node:path/posix';
import { byText, filesBelow, isCode, isTest, textOf } from './files.mjs';
import { shapeOf } from './shape.mjs';

/** The names that may break a rule today, rule by rule. The list only shrinks. */
export const EXCEPTIONS = 'test/exported-names.exceptions.json';

export const ENTRIES = ['src/index.ts', 'src/server/index.ts', 'src/testing/index.ts', 'src/client/index.ts'];

const PREPOSITIONS =
  'about above across after against along among around at before behind below beneath beside besides between beyond by despite down during except for from in inside into like near of off on onto out outside over past per since than through throughout till to toward towards under underneath until up upon via with within without';
const QUANTIFIERS =
  'all any anybody anyone anything both each either else enough every everybody everyone everything few fewer least less many more most much neither no nobody none nothing only other others own same several some somebody someone something such';
const IRREGULAR_PARTICIPLES =
  'begun bent bound bought broken brought built caught chosen done drawn driven fallen fed felt found frozen given gone got grown had heard held hidden hung kept known laid led left lent lit lost made meant met paid rung said seen sent shown sold spent spoken stood stuck sunk sworn taken taught thought thrown told torn understood undone won worn woven written';
/** Nouns and verbs that only look like participles. */
const NO_PARTICIPLES =
  'beginning embed ending feed finding heading listing meaning need pricing recording seed setting speed string thing warning';

const words = (text) => new Set(text.split(' '));
const bareWords = words(`${PREPOSITIONS} ${QUANTIFIERS} ${IRREGULAR_PARTICIPLES}`);
const otherWords = words(NO_PARTICIPLES);

/** True if a name is one of these words alone, whatever its case. */
export function isBareWord(name) {
  const word = name.toLowerCase();
  if (/[A-Z_\d$]/.test(name.slice(1)) && name !== name.toUpperCase()) return false;
  if (otherWords.has(word)) return false;
  return bareWords.has(word) || /^[a-z]+(?:ed|ing)$/.test(word);
}

/** The shapes of the project's own files: source, page and tests. */
export function projectShapes() {
  const files = [...filesBelow('src'), ...filesBelow('web'), ...filesBelow('test')].filter(isCode);
  return files.filter((path) => !path.endsWith('.mjs')).map(shapeOf);
}

/** The file that an import leads to; undefined for a package. */
export const targetOf = (from, specifier) =>
  specifier?.startsWith('.') ? join(dirname(from), specifier).replace(/\.js$/, '.ts') : undefined;

/** Every name that a file of src exports, with the files that import it. Entries of the package are left out. */
export function exportedNames(shapes) {
  const importers = importersOf(shapes);
  return shapes
    .filter(({ path }) => path.startsWith('src/') && !isTest(path) && !ENTRIES.includes(path))
    .flatMap(({ path, exports }) =>
      exports.map(({ name, passedOn }) => ({
        name,
        file: path.slice('src/'.length),
        passedOn,
        importers: [...(importers.get(`${path} ${name}`) ?? []), ...(importers.get(`${path} *`) ?? [])],
      })),
    );
}

function importersOf(shapes) {
  const importers = new Map();
  for (const { path, imports } of shapes)
    for (const { from, names } of imports)
      for (const name of names) {
        const key = `${targetOf(path, from)} ${name}`;
        importers.set(key, (importers.get(key) ?? new Set()).add(path));
      }
  for (const { path, names, target } of loadedByScripts())
    for (const name of names)
      importers.set(`${target} ${name}`, (importers.get(`${target} ${name}`) ?? new Set()).add(path));
  return importers;
}

const LOAD = /const \{([^}]*)\} = await load\('(src\/[^']+)'\)/g;

/** Scripts that make the references load files of src while they run. */
const loadedByScripts = () =>
  filesBelow('scripts').flatMap((path) =>
    [...textOf(path).matchAll(LOAD)].map(([, names, target]) => ({
      path,
      target,
      names: names.split(',').map((name) => name.trim()),
    })),
  );

/** The breaches of each rule: the keys under which exceptions are listed, each with its files. */
export function brokenRules(shapes) {
  const names = exportedNames(shapes);
  const declaring = new Map();
  for (const { name, file, passedOn } of names)
    if (!passedOn) declaring.set(name, [...(declaring.get(name) ?? []), file]);
  const declared = [...declaring];
  return {
    declaredTwice: Object.fromEntries(declared.filter(([, files]) => files.length > 1).sort(byKey)),
    bareWords: Object.fromEntries(declared.filter(([name]) => isBareWord(name)).sort(byKey)),
    withoutImporter: Object.fromEntries(
      names
        .filter(({ importers }) => importers.length === 0)
        .map(({ file, name }) => [`${file} ${name}`, [file]])
        .sort(byKey),
    ),
  };
}

const byKey = ([one], [other]) => byText(one, other);
