// The parts that the prompt of a session is made of, each with its source. Reads the text that the model gets, so that what is
// shown is what was sent.

import { byteLength } from '../../base/text/bytes.ts';
import type { ToolSpec } from '../../kernel/message.ts';

export interface PromptView {
  readonly agent: string;
  /** Estimated: those of all parts. */
  readonly tokens: number;
  readonly parts: readonly {
    /** `own text`, `charter`, `shared context`, `project file AGENTS.md`, `skills`, `skill pdf`, `tools`. */
    readonly source: string;
    /** Estimated. */
    readonly tokens: number;
    readonly bytes: number;
    readonly text: string;
  }[];
  /** The tools, one by one. */
  readonly tools: readonly { readonly name: string; readonly tokens: number }[];
}

/** `own` is the text of the agent's file. */
export function promptView(
  {
    agent,
    system,
    tools,
  }: {
    readonly agent: string;
    readonly system: string;
    readonly tools: readonly ToolSpec[];
  },
  own: string,
  estimate: (text: string) => number,
): PromptView {
  const told = [...textsIn(system, own), { source: 'tools', text: tools.length === 0 ? '' : JSON.stringify(tools) }];
  const parts = told
    .filter(({ text }) => text !== '')
    .map(({ source, text }) => ({ source, tokens: estimate(text), bytes: byteLength(text), text }));
  return {
    agent,
    tokens: parts.reduce((sum, { tokens }) => sum + tokens, 0),
    parts,
    tools: tools.map((tool) => ({ name: tool.name, tokens: estimate(JSON.stringify(tool)) })),
  };
}

interface NamedText {
  readonly source: string;
  readonly text: string;
}

function textsIn(system: string, own: string): readonly NamedText[] {
  const start = startOf(system, own);
  return [
    ...textsBefore(system.slice(0, start).trim()),
    { source: 'own text', text: own },
    ...textsBelow(system.slice(start + own.length).trim()),
  ];
}

/** The own text begins the prompt, or a line of it. */
function startOf(system: string, own: string): number {
  if (system.startsWith(own)) return 0;
  const found = system.indexOf(`\n\n${own}`);
  return found < 0 ? system.length : found + 2;
}

/** A pattern puts these before the own text. */
function textsBefore(text: string): readonly NamedText[] {
  if (text === '') return [];
  const shared = text.search(/^\[Shared Context\]:$/m);
  if (shared < 0) return [{ source: 'charter', text }];
  const after = text.slice(shared).search(/\n\n/);
  const end = after < 0 ? text.length : shared + after;
  return [
    { source: 'shared context', text: text.slice(shared, end) },
    { source: 'charter', text: `${text.slice(0, shared)}${text.slice(end)}`.trim() },
  ];
}

/** Texts in fences, each with what the runtime says of it below. */
function textsBelow(text: string): readonly NamedText[] {
  const fences = [
    ...text.matchAll(
      /^<<<([0-9a-f]{16}) (project file|skills|skill)\b ?([^\n]*?): [^\n]*\n[^]*?\n\1>>>(?:\n\[[^\n]*\])?/gm,
    ),
  ];
  const fenced = fences.map(([whole, , kind, name]): NamedText => ({ source: `${kind} ${name}`.trim(), text: whole }));
  const rest = fences.reduce((left, [whole]) => left.replace(whole, ''), text).trim();
  return rest === '' ? fenced : [...fenced, { source: 'other', text: rest }];
}
