// Tells whether a model can be asked, and lists the keys and servers that were looked for, as `cadre models` does.

import { mkdirSync, writeFileSync } from 'node:fs';
import { cadre } from './cadre.mjs';
import { BUILT_IN, providerEntry } from './examples.mjs';

/** The sentences that say why a model cannot be asked. */
export async function problemOf(model, baseUrl, folder) {
  const [provider, name] = model.split('/');
  if (!name) return [`"${model}" is no model: name it as provider/model.`];
  if (baseUrl === undefined && !BUILT_IN.includes(provider))
    return [`"${provider}" is no provider that is well known: say where it is with --base-url.`];
  const { agents } = await modelsFor([model], baseUrl, folder);
  return agents.filter(({ ready }) => !ready).map(({ state }) => `${model}: ${state}`);
}

export async function lookedFor(folder) {
  const { agents, local } = await modelsFor(
    BUILT_IN.map((provider) => `${provider}/model`),
    undefined,
    folder,
  );
  const lines = agents.map(({ model, ready, state }) => `  ${model.padEnd(20)} ${ready ? 'ready' : state}`);
  const servers = local.map(({ name, baseUrl, models }) => `  ${name} at ${baseUrl}: ${models.join(', ')}`);
  return [
    'Looked for keys in the environment:',
    ...lines,
    servers.length === 0 ? 'Looked for servers on this machine: none answers.' : 'Servers on this machine:',
    ...servers,
  ].join('\n');
}

async function modelsFor(models, baseUrl, folder) {
  mkdirSync(folder, { recursive: true });
  const [provider] = models[0].split('/');
  const providers = baseUrl === undefined ? {} : { [provider]: providerEntry(provider, baseUrl) };
  writeFileSync(`${folder}/cadre.yaml`, JSON.stringify({ providers }));
  writeFileSync(`${folder}/agent.md`, `---\ndescription: d\nmodels: ${JSON.stringify(models)}\n---\nYou answer.\n`);
  const { stdout, stderr } = await cadre(['models', '--json'], folder);
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout);
}
