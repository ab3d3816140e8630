// The package as users get it: packed, installed into an empty folder by npm, and run from there. No network: what the
// package needs beside itself is installed from the packages that `npm ci` brought.

import { execFile } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OPEN_TELEMETRY } from '../src/telemetry/packages.ts';
import { startCollector } from './support/collector.ts';
import { built } from './support/dist.ts';
import { ROOT } from './support/fences.ts';
import { modelServer, type WireKind } from './support/model-server.ts';

const MOST_MB = 40;
const MOST_PACKAGES = 30;

/** A package in the lock file. */
interface Locked {
  readonly name?: string;
  readonly hasInstallScript?: boolean;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly peer?: boolean;
}

interface Manifest {
  readonly scripts: Readonly<Record<string, string>>;
  readonly allowScripts: Readonly<Record<string, boolean>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional?: boolean }>>;
}

const json = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));
const manifest = json(join(ROOT, 'package.json')) as Manifest;

/** An empty folder that is no part of any project, with the package installed. */
let home = '';
let packed: readonly string[] = [];

/** Runs a program in the folder with nothing of this process's environment but PATH. */
async function call(program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const options = { cwd: home, env: { PATH: process.env['PATH'], HOME: home, ...env } };
  const ran = promisify(execFile)(program, args, options);
  return ran.then(
    ({ stdout, stderr }) => ({ stdout, stderr, exit: 0 }),
    (failed: { stdout: string; stderr: string; code: number }) => ({ ...failed, exit: failed.code }),
  );
}

const cadre = (args: readonly string[], env?: Readonly<Record<string, string>>) =>
  call(join(home, 'node_modules/.bin/cadre'), args, env);

function write(files: Readonly<Record<string, string>>): void {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, file)), { recursive: true });
    writeFileSync(join(home, file), text);
  }
}

/** The places in the lock file of the packages that an install of this package brings. */
function neededPackages(): readonly string[] {
  const { packages } = json(join(ROOT, 'package-lock.json')) as { packages: Readonly<Record<string, Locked>> };
  return Object.entries(packages)
    .filter(([place, { dev, devOptional, peer }]) => place !== '' && !(dev || devOptional || peer))
    .map(([place]) => place);
}

beforeAll(async () => {
  built('cli/main.js'); // what is packed is as new as the source
  home = mkdtempSync(join(tmpdir(), 'cadre-package-'));
  const npm = (...args: readonly string[]) => call('npm', [...args, '--offline', '--ignore-scripts', '--no-audit']);
  const pack = await npm('pack', ROOT, '--json', '--pack-destination', home);
  const [tarball] = JSON.parse(pack.stdout) as { filename: string; files: { path: string }[] }[];
  packed = tarball?.files.map(({ path }) => path) ?? [];
  const beside = neededPackages().map((place) => join(ROOT, place));
  const install = await npm('install', '--install-links', join(home, tarball?.filename ?? ''), ...beside);
  expect(install.exit, install.stderr).toBe(0);
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

test(`an install brings at most ${MOST_PACKAGES} packages and ${MOST_MB} MB`, () => {
  const { packages } = json(join(home, 'node_modules/.package-lock.json')) as { packages: object };
  const files = readdirSync(join(home, 'node_modules'), { recursive: true, withFileTypes: true });
  const sizes = files.filter((file) => file.isFile()).map((file) => statSync(join(file.parentPath, file.name)).size);
  const mb = sizes.reduce((sum, size) => sum + size, 0) / 1_000_000;
  expect(Object.keys(packages).length).toBeLessThanOrEqual(MOST_PACKAGES);
  expect(mb).toBeLessThanOrEqual(MOST_MB);
});

test('the package holds what it needs, and nothing of its making', () => {
  for (const file of [
    'README.md',
    'LICENSE',
    'THIRD-PARTY-NOTICES',
    'sbom.cdx.json',
    'dist/index.d.ts',
    'schema/cadre-yaml.json',
  ]) {
    expect(packed).toContain(file);
  }
  expect(
    packed.filter((file) =>
      /^(?:src|test|scripts(?!\/build\/prepare\.mjs$)|bench|web)\/|^(?!examples\/).*\.test\.|(?:^|\/)\.cadre\//.test(
        file,
      ),
    ),
  ).toEqual([]);
});

test('the notices and the bill of materials have every package whose code is in the build, and nothing else', () => {
  const inside = (file: string): string => readFileSync(join(home, 'node_modules/cadre', file), 'utf8');
  const maps = packed.filter((file) => file.startsWith('dist/') && file.endsWith('.map'));
  const bundled = new Set(
    maps.flatMap((file) =>
      (JSON.parse(inside(file)) as { sources: string[] }).sources.flatMap((source) => {
        const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source) ?? [];
        return name === undefined ? [] : [name];
      }),
    ),
  );
  const noticed = [...inside('THIRD-PARTY-NOTICES').matchAll(/^-{80}\n(\S+ \S+) \(/gm)].map(([, key]) => key ?? '');
  const { components } = JSON.parse(inside('sbom.cdx.json')) as {
    components: { name: string; version: string; purl: string; licenses?: unknown[]; hashes: unknown[] }[];
  };
  const listed = components.map(({ name, version }) => `${name} ${version}`);
  expect(bundled.size).toBeGreaterThan(30);
  expect([...bundled].filter((name) => !noticed.some((key) => key.startsWith(`${name} `)))).toEqual([]);
  expect(noticed.filter((key) => !listed.includes(key))).toEqual([]);
  const brought = Object.keys(manifest.dependencies);
  expect(listed.filter((key) => !noticed.includes(key) && !brought.includes(key.split(' ')[0] ?? ''))).toEqual([]);
  expect(components.filter(({ purl, licenses = [] }) => !purl.startsWith('pkg:npm/') || licenses.length === 0)).toEqual(
    [],
  );
});

test('a script that npm runs by itself is in the package, and does nothing there', async () => {
  const { scripts } = json(join(home, 'node_modules/cadre/package.json')) as Manifest;
  const byItself = /^(?:pre|post)?(?:install|prepare|pack)$|^(?:pre|post)pack$|^dependencies$/;
  const files = Object.entries(scripts).flatMap(([name, text]) =>
    byItself.test(name) ? text.split(' ').slice(1) : [],
  );
  expect(new Set(files)).toEqual(new Set(['scripts/build/prepare.mjs']));
  for (const file of files) expect(packed).toContain(file);
  const ran = await call('npm', ['run', 'postprepare', '--prefix', join(home, 'node_modules/cadre')]);
  expect(ran.exit, ran.stderr).toBe(0);
});

test('npm asks nobody to review a script of the package, whether it comes from a registry, a file or git', () => {
  const { scripts } = json(join(home, 'node_modules/cadre/package.json')) as Manifest;
  for (const name of ['preinstall', 'install', 'postinstall', 'prepare']) expect(scripts).not.toHaveProperty(name);
});

test('every package with an install script is one that package.json allows, and none of them reports installs', () => {
  const { packages } = json(join(ROOT, 'package-lock.json')) as { packages: Readonly<Record<string, Locked>> };
  const names = Object.entries(packages)
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([place]) => place.replace(/.*node_modules\//, ''));
  expect(Object.keys(manifest.allowScripts).sort()).toEqual(names.sort());
  const scarf = Object.entries(packages).filter(([place]) => place.endsWith('/@scarf/scarf'));
  expect(scarf.map(([, { name }]) => name)).toEqual(['@standard-schema/spec']);
});

test('every package whose code is built in has its licence in the notices', () => {
  const notices = readFileSync(join(home, 'node_modules/cadre/THIRD-PARTY-NOTICES'), 'utf8');
  const chunks = packed.filter((file) => file.startsWith('dist/') && file.endsWith('.map'));
  const sources = chunks.flatMap((file) => (json(join(ROOT, file)) as { sources: readonly string[] }).sources);
  const names = sources.flatMap((source) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1] ?? []);
  expect(new Set(names).size).toBeGreaterThan(10);
  expect([...new Set(names)].filter((name) => !notices.includes(`\n${name} `))).toEqual([]);
});

test('OpenTelemetry is an optional peer, in the versions that the fault names', () => {
  const ranges = Object.entries(OPEN_TELEMETRY).map(([name, least]) => [name, `^${least}`]);
  const peers = Object.entries(manifest.peerDependencies).filter(([name]) => name.startsWith('@opentelemetry/'));
  expect(Object.fromEntries(peers)).toEqual(Object.fromEntries(ranges));
  for (const name of Object.keys(manifest.peerDependencies))
    expect(manifest.peerDependenciesMeta[name]).toEqual({ optional: true });
});

const OFFLINE = {
  'team/cadre.yaml': 'providers: { demo: { kind: scripted, script: s.yaml } }\ndefaults: { models: [demo/any] }\n',
  'team/s.yaml': 'any: [{ answer: It works., repeat: true }]\n',
  'team/host.md': '---\ndescription: Answers.\n---\nAnswer.\n',
};

test('cadre init and the command that it prints lead from nothing to an answer', async () => {
  const begun = await cadre(['init', 'first', '--model', 'demo/any']);
  expect(begun).toMatchObject({
    exit: 0,
    stdout: expect.stringContaining('cadre run helper "What is in this folder?"'),
  });
  const ran = await cadre(['run', 'first/helper.md', 'What is in this folder?']);
  expect(ran).toMatchObject({ exit: 0, stdout: expect.stringContaining('helper.md') });
});

test('telemetry without OpenTelemetry: cadre.yaml is refused with the command, a variable is a warning', async () => {
  const command = Object.entries(OPEN_TELEMETRY).map(([name, least]) => `${name}@^${least}`);
  const told = `Install it beside cadre.yaml: npm install ${command.join(' ')}`;
  const endpoint = 'http://127.0.0.1:9';
  write(OFFLINE);
  const warned = await cadre(['run', 'team/host.md', 'Hello'], { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint });
  expect(warned).toMatchObject({ exit: 0, stdout: 'It works.\n', stderr: expect.stringContaining(told) });
  write({ 'team/cadre.yaml': `${OFFLINE['team/cadre.yaml']}telemetry: { otlp: { endpoint: "${endpoint}" } }\n` });
  const refused = await cadre(['run', 'team/host.md', 'Hello']);
  expect(refused).toMatchObject({ exit: 1, stdout: '', stderr: expect.stringContaining(told) });
});

test('OpenTelemetry that is installed beside cadre.yaml is used, and one that is too old is named', async () => {
  const collector = await startCollector();
  const telemetry = `telemetry: { otlp: { endpoint: "${collector.url}" } }\n`;
  write({ ...OFFLINE, 'team/cadre.yaml': OFFLINE['team/cadre.yaml'] + telemetry });
  const place = join(home, 'team/node_modules/@opentelemetry');
  mkdirSync(place, { recursive: true });
  for (const name of Object.keys(OPEN_TELEMETRY))
    symlinkSync(join(ROOT, 'node_modules', name), join(place, '..', name));
  const sent = await cadre(['run', 'team/host.md', 'Hello']);
  const spans = collector.spans().map(({ name }) => name);
  await collector.stop();
  rmSync(join(place, 'api'));
  write({ 'team/node_modules/@opentelemetry/api/package.json': '{ "version": "1.8.0", "main": "index.js" }' });
  const refused = await cadre(['run', 'team/host.md', 'Hello']);
  rmSync(join(home, 'team/node_modules'), { recursive: true });
  expect(sent).toMatchObject({ exit: 0, stdout: 'It works.\n' });
  expect(spans).toContain('invoke_agent host');
  expect(refused.stderr).toContain('@opentelemetry/api is 1.8.0, and ^1.9.1 is needed');
});

const KINDS: readonly WireKind[] = ['openai', 'anthropic', 'google', 'openai-compatible'];

test.each(KINDS)('a provider of kind %s is in the box', async (kind) => {
  const server = await modelServer(() => ({ text: `Said by ${kind}.` }));
  const provider = `{ kind: ${kind}, baseUrl: "${server.base(kind)}", apiKey: key }`;
  write({
    ...OFFLINE,
    'team/cadre.yaml': `providers: { it: ${provider} }\ndefaults: { models: [it/small] }\n`,
  });
  const ran = await cadre(['run', 'team/host.md', 'Hello']);
  await server.close();
  expect(ran).toMatchObject({ exit: 0, stdout: `Said by ${kind}.\n` });
});

test.each([
  ['loadCadre', "import { loadCadre } from 'cadre'; await loadCadre('nowhere');", 'FaultError: '],
  [
    'run',
    "import { loadCadre } from 'cadre'; await (await loadCadre('team')).run('nobody', 'Hi');",
    'FaultError: There is no',
  ],
  [
    'server',
    "import { serveCadre } from 'cadre/server'; await serveCadre('team', { store: 'mongodb://x' });",
    'FaultError: ',
  ],
])('a fault that a program does not catch is printed with its message first: %s', async (_, program, opening) => {
  write({ ...OFFLINE, 'uncaught.mjs': program });
  const { exit, stderr } = await call(process.execPath, ['uncaught.mjs']);
  expect(exit).toBe(1);
  expect(stderr.startsWith(opening), stderr).toBe(true);
  expect(stderr.length).toBeLessThan(3000);
});

test('a program in TypeScript uses the library without skipLibCheck, and runs', async () => {
  const options = {
    target: 'ES2023',
    lib: ['ES2023', 'DOM'],
    types: [],
    module: 'NodeNext',
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    noEmit: true,
  };
  const program = `import { type Cadre, loadCadre, tool } from 'cadre';
import { type CadreClient, cadreClient } from 'cadre/client';
import { memoryStore } from 'cadre/testing';
const client: CadreClient = cadreClient({ url: 'http://127.0.0.1:1' });
const refused: string = await client.start({ agent: 'host', input: 'Hello' }).then(({ run }) => run, ({ code }) => code);
if (refused !== 'client/offline') throw new Error(refused);
const parameters = { type: 'object', properties: { day: { type: 'string' } }, required: ['day'] } as const;
const hours = tool({ name: 'hours', description: 'Opening hours.', parameters, run: ({ day }) => day.length });
const cadre: Cadre = await loadCadre('team', { store: memoryStore(), tools: [hours] });
const outcome = await (await cadre.run('host', 'Hello')).outcome();
console.log(outcome.kind === 'answered' ? outcome.text : outcome.kind);
await cadre.close();
`;
  const plain = program
    .replaceAll(/type Cadre(Client)?, |: (Cadre(Client)?|string)(?= =)/g, '')
    .replace(' as const', '');
  write({
    ...OFFLINE,
    'package.json': '{ "type": "module" }',
    'tsconfig.json': JSON.stringify({ compilerOptions: options, files: ['ask.ts'] }),
    'ask.ts': program,
    'ask.js': plain,
  });
  const checked = await call(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', '.']);
  expect(checked).toMatchObject({ exit: 0, stdout: '' });
  expect(await call(process.execPath, ['ask.js'])).toMatchObject({ exit: 0, stdout: 'It works.\n' });
});

test('npm publish waits for the address of the repository, and one command writes it', async () => {
  const copy = join(home, 'copy');
  mkdirSync(join(copy, 'scripts'), { recursive: true });
  for (const file of ['package.json', 'README.md', 'scripts/repository.mjs', 'scripts/command-line.mjs'])
    cpSync(join(ROOT, file), join(copy, file));
  const repository = (...args: readonly string[]) =>
    promisify(execFile)(process.execPath, ['scripts/repository.mjs', ...args], { cwd: copy });
  await expect(repository('--check')).rejects.toMatchObject({ stderr: expect.stringContaining('npm run repository') });
  await expect(repository('not an address')).rejects.toMatchObject({ code: 1 });
  await repository('https://git.example.org/team/cadre');
  await repository('--check');
  expect(json(join(copy, 'package.json'))).toMatchObject({
    repository: { type: 'git', url: 'git+https://git.example.org/team/cadre.git' },
    homepage: 'https://git.example.org/team/cadre#readme',
    bugs: 'https://git.example.org/team/cadre/issues',
    version: (manifest as { version?: string }).version,
  });
  const readme = readFileSync(join(copy, 'README.md'), 'utf8');
  expect(readme).toContain('](https://git.example.org/team/cadre/blob/main/docs/concepts/check.md)');
  const raw = 'https://git.example.org/team/cadre/raw/main/docs/pictures';
  expect(readme).toContain(`src="${raw}/team-at-work.light.webp"`);
  expect(readme).toContain(`srcset="${raw}/team-at-work.dark.webp"`);
});
