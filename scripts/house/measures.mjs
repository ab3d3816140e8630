// The rows of the table that `npm run house` prints: each a name, how it is measured, its value in 0.2.0 and the aim. A row
// that counts named things also lists them. The values of 0.2.0 were measured by this script on its source.

import { filesBelow, isCode, isStyle, isTest, linesIn, textOf } from './files.mjs';
import { brokenRules, ENTRIES, exportedNames } from './names.mjs';
import { mutualPairs } from './pairs.mjs';

const MOST_PARAMETERS = 4;

/** `shapes` are those of the whole project. */
export function measures(shapes) {
  const source = sourceOf(shapes);
  const lines = sum(source.map((shape) => shape.lines));
  const functions = functionsOf(source);
  const meanings = groupBy(
    source.flatMap(({ path, types }) => types.map((name) => ({ name, path }))),
    ({ name }) => name,
  );
  const broken = brokenRules(shapes);
  const row = (name, value, before, aim) => ({ name, value, before, aim });
  const listed = (name, list, before, aim, key) => ({ name, value: list.length, list, before, aim, key });
  return [
    row('source lines', lines, 72764, 66000),
    row('page: lines of TypeScript', sum(pageOf(shapes).map((shape) => shape.lines)), 14670, 12000),
    row('page: lines of CSS', linesOf(filesBelow('web').filter(isStyle)), 4414, 3500),
    listed('page: functions over 40 lines', longest(functionsOf(pageOf(shapes)), 40), 59, undefined, 'page'),
    row('files', source.length, 784, 650),
    row('lines of a file, p90', quantile(source, 0.9), 189, 170),
    listed('files over 200 lines', longest(source, 200), 67, undefined, 'files'),
    row('longest function', Math.max(...functions.map((one) => one.lines)), 205, 100),
    listed('functions over 60 lines', longest(functions, 60), 37, undefined, 'functions'),
    listed(`functions with more than ${MOST_PARAMETERS} parameters`, overloaded(functions), 35, 0, 'parameters'),
    row('nouns (types, interfaces, classes)', meanings.size, 1324, 900),
    listed('type names with several meanings', severalMeanings(meanings), 91, 5, 'meanings'),
    listed('exported names that are declared twice', namesWithFiles(broken.declaredTwice), 20, 0, 'twice'),
    listed('exported names that are a bare word', namesWithFiles(broken.bareWords), 134, 0, 'bare'),
    listed('exports without importer', Object.keys(broken.withoutImporter), 321, 0, 'exports'),
    listed('exports for tests alone', forTestsAlone(shapes), 42, undefined, 'tests'),
    listed('pairs of folders that import each other', mutualPairs(source), 36, 6, 'pairs'),
    listed('public names of the package', publicNames(shapes), 159, 90, 'public'),
    listed('comments that open with half a sentence', halfSentences(source), 558, 0, 'comments'),
    row('test ÷ source', round(testLines() / lines), 0.69, 0.9),
  ];
}

/** The files of src without tests. */
export const sourceOf = (shapes) => shapes.filter(({ path }) => path.startsWith('src/') && !isTest(path));

const functionsOf = (shapes) => shapes.flatMap(({ path, functions }) => functions.map((one) => ({ ...one, path })));

const pageOf = (shapes) => shapes.filter(({ path }) => path.startsWith('web/src/') && !isTest(path));

/** Lines of source by room: the first folder below src. */
export function rooms(shapes) {
  return [...groupBy(sourceOf(shapes), ({ path }) => path.split('/')[1])].map(([name, files]) => ({
    name,
    files: files.length,
    lines: sum(files.map((shape) => shape.lines)),
    p90: quantile(files, 0.9),
  }));
}

const sum = (numbers) => numbers.reduce((total, one) => total + one, 0);
const round = (number) => Math.round(number * 100) / 100;
const linesOf = (files) => sum(files.map((path) => linesIn(textOf(path))));
const testLines = () =>
  linesOf([...filesBelow('src'), ...filesBelow('test')].filter((path) => isTest(path) && isCode(path)));

function quantile(shapes, share) {
  const lengths = shapes.map(({ lines }) => lines).sort((one, other) => one - other);
  return lengths[Math.min(lengths.length - 1, Math.floor(share * lengths.length))];
}

function groupBy(items, keyOf) {
  const groups = new Map();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

const placeOf = ({ path, line, name }) => (name === undefined ? path : `${path}:${line} ${name}`);

const longest = (measured, most) =>
  measured
    .filter(({ lines }) => lines > most)
    .sort((one, other) => other.lines - one.lines)
    .map((one) => `${one.lines} ${placeOf(one)}`);

const overloaded = (functions) =>
  functions
    .filter(({ parameters }) => parameters > MOST_PARAMETERS)
    .sort((one, other) => other.parameters - one.parameters)
    .map((one) => `${one.parameters} ${placeOf(one)}`);

const severalMeanings = (meanings) =>
  [...meanings]
    .filter(([, places]) => places.length > 1)
    .sort(([, one], [, other]) => other.length - one.length)
    .map(([name, places]) => `${places.length} ${name}: ${places.map(({ path }) => path).join(', ')}`);

const namesWithFiles = (names) => Object.entries(names).map(([name, files]) => `${name}: ${files.join(', ')}`);

const forTestsAlone = (shapes) =>
  exportedNames(shapes)
    .filter(({ importers }) => importers.length > 0 && importers.every(isTest))
    .map(({ file, name }) => `${file} ${name}`);

const halfSentences = (source) =>
  source.flatMap(({ path, halfSentences: places }) => places.map((line) => `${path}:${line}`));

const publicNames = (shapes) =>
  shapes.filter(({ path }) => path === ENTRIES[0]).flatMap(({ exports }) => exports.map(({ name }) => name));
