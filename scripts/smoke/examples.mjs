// The examples, each with the first run that its README shows, and their models made live ones.

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseDocument } from 'yaml';

/** Built-in providers have their own addresses and keys; any other name is a server that speaks OpenAI's protocol. */
export const BUILT_IN = [
  'openai',
  'anthropic',
  'google',
  'ollama',
  'openrouter',
  'groq',
  'mistral',
  'deepseek',
  'azure',
  'bedrock',
];

export const providerEntry = (provider, baseUrl) => ({
  kind: BUILT_IN.includes(provider) ? provider : 'openai-compatible',
  baseUrl,
});

export function examplesIn(folder) {
  return readdirSync(folder)
    .toSorted()
    .filter((name) => existsSync(join(folder, name, 'cadre.yaml')))
    .map((name) => {
      const [, line] = /^cadre run (.*)$/m.exec(readFileSync(join(folder, name, 'README.md'), 'utf8')) ?? [];
      if (line === undefined) throw new Error(`examples/${name}/README.md shows no "cadre run".`);
      return { name, folder: join(folder, name), args: wordsOf(line, `examples/${name}/`) };
    });
}

/** The words of a command line without its quotes, and paths as they are from within the example. */
const wordsOf = (line, prefix) =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word.replace(prefix, ''));

/** Every model of the example is the one that was named. What cadre.yaml says of price and window is of the scripted one. */
export function useModel(folder, model, { baseUrl, sees }) {
  const file = join(folder, 'cadre.yaml');
  const document = parseDocument(readFileSync(file, 'utf8'));
  const [provider] = model.split('/');
  for (const { key } of document.get('models').items)
    document.setIn(['models', key.value], { use: model, ...(sees.length > 0 && { sees }) });
  document.delete('providers');
  if (baseUrl !== undefined) document.set('providers', { [provider]: providerEntry(provider, baseUrl) });
  writeFileSync(file, document.toString());
}
