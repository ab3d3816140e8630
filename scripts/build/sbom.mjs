// A step of the build: writes sbom.cdx.json (CycloneDX), what npm knows of the packages that are in the build or come with it. It
// keeps of the packages in the lock file those whose code the bundler took in, and those that an install brings.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const { name, dependencies = {} } = JSON.parse(readFileSync('package.json', 'utf8'));

/** Each package as `name version`: of THIRD-PARTY-NOTICES, which the bundler's list is written to. */
const bundled = new Set(
  [...readFileSync('THIRD-PARTY-NOTICES', 'utf8').matchAll(/^-{80}\n(\S+ \S+) \(/gm)].map(([, key]) => key),
);

const { status, stdout, stderr } = spawnSync('npm', ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx'], {
  encoding: 'utf8',
  maxBuffer: 1 << 28,
  shell: process.platform === 'win32',
});
if (status !== 0) throw new Error(`npm sbom failed: ${stderr}`);
const { serialNumber: _, metadata, components, dependencies: edges, ...rest } = JSON.parse(stdout);

const keyOf = ({ group, name: short, version }) => `${group ? `${group}/` : ''}${short} ${version}`;
const parts = new Map();
for (const component of components) {
  const key = keyOf(component);
  const isBundled = bundled.has(key);
  if (parts.has(key) || !(isBundled || Object.hasOwn(dependencies, key.split(' ')[0]))) continue;
  const { properties: __, ...fields } = component;
  parts.set(key, { ...fields, scope: 'required', properties: [{ name: 'cadre:bundled', value: String(isBundled) }] });
}
const missing = [...bundled].filter((key) => !parts.has(key));
if (missing.length > 0) throw new Error(`npm sbom does not list what is bundled: ${missing.join(', ')}`);

const { timestamp: ___, component, ...about } = metadata;
const refs = new Set([component['bom-ref'], ...[...parts.values()].map((one) => one['bom-ref'])]);
const kept = edges
  .filter(({ ref }) => refs.has(ref))
  .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((one) => refs.has(one)) }));
const sbom = {
  ...rest,
  metadata: { ...about, component: { ...component, name } },
  components: [...parts.values()],
  dependencies: kept,
};
writeFileSync('sbom.cdx.json', `${JSON.stringify(sbom, null, 1)}\n`);
