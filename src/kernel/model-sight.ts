// The models that see pictures and PDF files, and how their providers count those. A model that is not in the table, and of
// which cadre.yaml does not say that it sees, sees nothing.

import type { FileKind, FileRule } from './file-ref.ts';
import type { ProviderKind } from './provider-settings.ts';

/** The files that a model sees, and the rule by which they are counted. */
export interface ModelSight {
  readonly sees: readonly FileKind[];
  readonly rule: FileRule;
}

const BOTH: readonly FileKind[] = ['image', 'pdf'];
const PICTURES: readonly FileKind[] = ['image'];
const NOTHING: readonly FileKind[] = [];

/** By the name that the vendor gives its model. The first that fits counts. */
const MODELS: readonly (readonly [RegExp, readonly FileKind[], FileRule])[] = [
  [/^claude-(?:2|instant)/, NOTHING, 'unknown'],
  [/^claude-3-(?:haiku|sonnet|opus)/, PICTURES, 'anthropic'],
  [/^claude-[a-z]+-(?:4-[7-9](?!\d)|[5-9])/, BOTH, 'anthropic-large'],
  [/^claude-/, BOTH, 'anthropic'],
  [/^gemini-(?:1\.5|2)/, BOTH, 'gemini-2'],
  [/^gemini-/, BOTH, 'gemini-3'],
  [/^(?:gpt-4\.1|gpt-5)-nano/, BOTH, 'patches-2.46'],
  [/^(?:gpt-4\.1|gpt-5)-mini/, BOTH, 'patches-1.62'],
  [/^o4-mini/, BOTH, 'patches-1.72'],
  [/^gpt-4o-mini/, BOTH, 'tiles-2833-5667'],
  [/^(?:gpt-4o|gpt-4\.1|gpt-4\.5|chatgpt-4o)/, BOTH, 'tiles-85-170'],
  [/^gpt-5(?![.\d])|^gpt-5\.1(?!\d)/, BOTH, 'tiles-70-140'],
  [/^gpt-5\.[4-9]/, BOTH, 'patches-1.2-10000'],
  [/^gpt-[6-9]/, BOTH, 'patches-1.2-12000'],
  [/^gpt-5/, BOTH, 'unknown'],
  [/^o[13](?!-mini)/, BOTH, 'tiles-75-150'],
  [/^pixtral|^mistral-(?:medium|small|large)-(?:latest|25|26)/, PICTURES, 'unknown'],
  [/^llama-4|^llama-3\.2-\d+b-vision/, PICTURES, 'unknown'],
];

/** The kinds of providers whose protocol, as it is spoken to them, has no place for PDF files. */
const WITHOUT_PDF: ReadonlySet<ProviderKind> = new Set([
  'ollama',
  'openrouter',
  'groq',
  'mistral',
  'deepseek',
  'azure',
  'openai-compatible',
]);

/** `sees` is what cadre.yaml says. A script sees whatever it is shown. */
export function sightOf(
  kind: ProviderKind | undefined,
  model: string,
  sees: readonly FileKind[] | undefined,
): ModelSight | undefined {
  const name = vendorsName(model);
  const [, known, rule = 'unknown'] = MODELS.find(([pattern]) => pattern.test(name)) ?? [];
  if (sees !== undefined) return { sees, rule };
  if (kind === 'scripted') return { sees: BOTH, rule };
  // A server of any kind may serve what it likes under a name; `ollama` and the like serve what their machine holds.
  if (known === undefined || kind === undefined || kind === 'ollama' || kind === 'openai-compatible') return undefined;
  return { sees: WITHOUT_PDF.has(kind) ? known.filter((one) => one !== 'pdf') : known, rule };
}

/** `anthropic/claude-sonnet-4`, `us.anthropic.claude-sonnet-4-v1:0` and `models/gemini-2.5-pro` by their own names. */
const vendorsName = (model: string): string =>
  model
    .slice(model.lastIndexOf('/') + 1)
    .replace(/^(?:[a-z]{2,6}\.)?(?:anthropic|meta|mistral|amazon)\./, '')
    .toLowerCase();
