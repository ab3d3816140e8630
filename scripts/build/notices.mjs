// Writes THIRD-PARTY-NOTICES: name, version, licence and copyright of every package whose code is part of the build. It
// lists what the bundler took in, not what package.json names, so that it cannot miss a package or name one too many.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const OUTPUT = 'THIRD-PARTY-NOTICES';
const LEGAL = /^(?:licen[cs]e|notice|copying)(?:[.-].*)?$/i;
const RULE = '-'.repeat(80);

/** Folders of the packages that the bundles of this build have taken in so far. */
const folders = new Set();

/** A plugin for every bundle of the build. The last one to be written leaves the whole list. */
export const notices = {
  name: 'third-party-notices',
  writeBundle(_, bundle) {
    for (const { moduleIds = [] } of Object.values(bundle)) {
      for (const id of moduleIds) if (id.includes('node_modules')) folders.add(folderOf(id));
    }
    const packages = [...folders].map(describe).toSorted((one, other) => (one.name < other.name ? -1 : 1));
    writeFileSync(OUTPUT, page(packages));
  },
};

/** The folder of the package that a module belongs to: the nearest one whose package.json has a name and a version. */
function folderOf(id) {
  const file = id.replaceAll('\0', '').split('?')[0];
  for (let at = dirname(file); at.includes('node_modules'); at = dirname(at)) {
    if (existsSync(join(at, 'package.json')) && manifest(at).version !== undefined) return at;
  }
  throw new Error(`${file} belongs to no package, so its licence is not known.`);
}

const manifest = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

function describe(folder) {
  const { name, version, license, author } = manifest(folder);
  if (typeof license !== 'string') throw new Error(`${name} ${version} does not say its licence in package.json.`);
  const files = readdirSync(folder).filter((file) => LEGAL.test(file));
  const texts = files.toSorted().map((file) => readFileSync(join(folder, file), 'utf8').trim());
  const by = typeof author === 'string' ? author : author?.name;
  const none = `The package has no licence file. Its package.json says: ${license}${by ? `, by ${by}` : ''}.`;
  return { name: `${name} ${version}`, license, text: texts.join('\n\n') || none };
}

function page(packages) {
  const intro = `Cadre contains code of these ${packages.length} packages. Each is followed by its licence.`;
  const entries = packages.map(({ name, license, text }) => `${RULE}\n${name} (${license})\n\n${text}\n`);
  return `${intro}\n\n${entries.join('\n')}`;
}
