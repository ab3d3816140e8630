// Makes a provider from an installed package of the AI SDK: finds the package, imports it, calls its factory. Its code
// then runs with all rights of this process, so nothing is imported before one of its models is needed.

import { pathToFileURL } from 'node:url';
import { findPackage, type InstalledPackage } from '../../base/disk/package.ts';
import { UnusableFile } from '../../base/disk/regular.ts';
import { fail, faultOf } from '../../kernel/fault.ts';
import { type AiSdkProvider, isAiSdkProvider } from '../provider-instance.ts';
import { guardedFetch } from './guarded-fetch.ts';

export interface PackageRequest {
  readonly package: string;
  /** The absolute path where the search for it begins. */
  readonly from: string;
  /** The options of the factory, with all variables filled in. */
  readonly options: object;
}

export async function loadPackage(id: string, request: PackageRequest): Promise<AiSdkProvider> {
  const named = `provider "${id}" needs the package ${request.package}`;
  const { entry } = installed(request, named);
  if (entry === undefined) return fail('config/invalid', `${named}, which has nothing that can be imported.`);
  const exported = await imported(entry, named);
  const factory = factoryIn(exported, request.package);
  if (factory === undefined) {
    return fail(
      'config/invalid',
      `${named}, which exports no function create… that makes a provider. It exports: ` +
        `${Object.keys(exported).slice(0, 20).join(', ') || 'nothing'}. A program can make the provider itself and hand ` +
        'it in: loadCadre(dir, { providers }).',
    );
  }
  const made = call(factory, { fetch: guardedFetch(id, 'ai-sdk'), ...request.options }, named);
  if (isAiSdkProvider(made)) return made;
  return fail(
    'config/invalid',
    `${named}, whose ${factory.name} does not make a provider of the AI SDK: it has no languageModel().`,
  );
}

function installed({ package: name, from }: PackageRequest, named: string): InstalledPackage {
  try {
    const found = findPackage(name, from);
    if (found !== undefined) return found;
  } catch (thrown) {
    const why = thrown instanceof UnusableFile ? thrown.message : `its package.json cannot be read: ${told(thrown)}`;
    return fail('config/invalid', `${named}, which is not used: ${why}`);
  }
  return fail('config/invalid', `${named}, which is not installed. Install it beside cadre.yaml: npm install ${name}`);
}

async function imported(entry: string, named: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await import(pathToFileURL(entry).href)) as Readonly<Record<string, unknown>>;
  } catch (thrown) {
    return fail('config/invalid', `${named}, which cannot be loaded: ${told(thrown)}`);
  }
}

function call(factory: Factory, options: object, named: string): unknown {
  try {
    return factory(options);
  } catch (thrown) {
    return fail('config/invalid', `${named}, whose ${factory.name} refused the options: ${told(thrown)}`);
  }
}

type Factory = (options: object) => unknown;

/** `createGroq` of @ai-sdk/groq: the one that is named like the package, else the only one, else the nearest. */
export function factoryIn(exported: Readonly<Record<string, unknown>>, name: string): Factory | undefined {
  const factories = Object.entries(exported).filter(
    (one): one is [string, Factory] => /^create[A-Z]/.test(one[0]) && typeof one[1] === 'function',
  );
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  const wanted = plain(name.slice(name.lastIndexOf('/') + 1));
  const called = (of: string): string => plain(of.slice('create'.length));
  const exact = factories.find(([of]) => called(of) === wanted);
  const alike = factories
    .filter(([of]) => called(of).startsWith(wanted) || wanted.includes(called(of)))
    .toSorted(([one], [other]) => one.length - other.length);
  return (exact ?? (factories.length === 1 ? factories[0] : alike[0]))?.[1];
}

const told = (thrown: unknown): string => faultOf(thrown).message;
