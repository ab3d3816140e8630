// Permissions as opencode writes them: an action, or one for each tool, or for patterns of its calls. Those of Claude Code are
// lists of names below `deny`, `ask` and `allow`.

import type { YamlEntry, YamlNode } from '../../../base/yaml/node.ts';
import { rightsNamed } from '../denied-names.ts';
import type { AgentDraft } from '../draft.ts';
import { textsIn } from '../nodes.ts';
import { ALL_THAT_ACTS, keepsOnly, type Restriction, TAKES_ALL, TAKES_NONE, type Takes } from '../restriction.ts';
import { amongRights, type DenialForm, denial, deniedIn, type ToolTable } from '../tool-table.ts';

export function readPermissions(key: string, value: YamlNode, draft: AgentDraft, table: ToolTable): void {
  if (value.kind !== 'map') {
    draft.restrictions.push(...ofAll(key, textsIn(value)));
    return;
  }
  const entries = [...value.entries.values()];
  for (const [index, { key: name, value: action }] of entries.entries()) {
    const what = `${key}: ${name}`;
    if (name === 'deny')
      draft.restrictions.push(...textsIn(action).map((one) => denial(`${what} ${one}`, one, table, denialForm(draft))));
    else if (name === 'ask')
      draft.restrictions.push(...textsIn(action).map((one) => asking(`${what} ${one}`, one, table)));
    else if (name === 'allow' || name === 'additionalDirectories') draft.lose(what, '`trust` says what need not ask');
    else if (name === 'defaultMode') restrictMode(what, action, draft);
    else if (name === '*') draft.restrictions.push(...ofAllBut(what, action, entries.slice(index + 1)));
    else draft.restrictions.push(...ofTool(what, name, action, { draft, table }));
  }
}

/** One action for every tool. */
function ofAll(what: string, actions: readonly string[]): readonly Restriction[] {
  if (actions.every((one) => one === 'allow')) return [];
  const shown = `${what}: ${actions.join(', ').slice(0, 80)}`;
  if (actions.every((one) => one === 'deny')) return [{ what: shown, takes: TAKES_ALL, isExact: true }];
  const isKnown = actions.every((one) => one === 'ask' || one === 'allow');
  return isKnown
    ? [{ what: shown, takes: startsAgents, asks: () => true, isExact: true }]
    : [{ what: shown, takes: ALL_THAT_ACTS }];
}

/** Entries below `*` count before it. */
function ofAllBut(what: string, action: YamlNode, later: readonly YamlEntry[]): readonly Restriction[] {
  const given = new Set(later.flatMap(({ key, value }) => (isGiven(value) ? [...(rightsNamed(key) ?? [])] : [])));
  const isMeant = (right: string): boolean => !given.has(right.startsWith('agent:') ? 'spawn' : right);
  return ofAll(what, textsIn(action)).map((one): Restriction => {
    const { takes, asks } = one;
    return {
      ...one,
      takes: (right) => isMeant(right) && takes(right),
      ...(asks !== undefined && { asks: (right: string) => isMeant(right) && asks(right) }),
    };
  });
}

const isGiven = (action: YamlNode): boolean => {
  const actions = textsIn(action);
  return action.kind !== 'map' && actions.length > 0 && actions.every((one) => one === 'allow' || one === 'ask');
};

/** Nobody can be asked before an agent is started. */
const startsAgents: Takes = (right) => right === 'spawn' || right.startsWith('agent:');

interface PermissionContext {
  readonly draft: AgentDraft;
  readonly table: ToolTable;
}

function ofTool(
  what: string,
  name: string,
  action: YamlNode,
  { draft, table }: PermissionContext,
): readonly Restriction[] {
  const form = { paths: 'stars', unknown: denialForm(draft).unknown } as const;
  const whole = denial(what, name, table, form);
  if (action.kind !== 'map') {
    const actions = textsIn(action);
    if (actions.length > 0 && actions.every((one) => one === 'allow')) return [];
    if (actions.every((one) => one === 'ask')) return [asking(what, name, table)];
    return [actions.every((one) => one === 'deny') ? whole : inexact(whole)];
  }
  const givesPart = [...action.entries.values()].some(
    ({ key, value }) => key !== '*' && !textsIn(value).includes('deny'),
  );
  return [...action.entries.values()].flatMap(({ key: pattern, value }): readonly Restriction[] => {
    const actions = textsIn(value);
    if (actions.length > 0 && actions.every((one) => one === 'allow')) return [];
    if (actions.every((one) => one === 'ask')) return [asking(what, name, table)];
    if (!actions.every((one) => one === 'deny')) return [inexact(whole)];
    // A later pattern that allows again changes nothing: no entry of `deny` can be lifted.
    // Beside `*: deny` a part is allowed, and all of the tool would be more.
    if (pattern === '*') return [givesPart ? inexact(whole) : whole];
    return [partOf(what, name, pattern, { draft, table })];
  });
}

function partOf(what: string, name: string, pattern: string, { draft, table }: PermissionContext): Restriction {
  const form = { paths: 'stars', unknown: denialForm(draft).unknown } as const;
  return rightsNamed(name) === undefined
    ? inexact(denial(what, name, table, form))
    : deniedIn(what, name, pattern, form);
}

const inexact = ({ what, takes }: Restriction): Restriction => ({ what, takes });

/** Everything that a name means, and what starts agents is left out: before that nobody can be asked. */
function asking(what: string, written: string, table: ToolTable): Restriction {
  const name = written.replace(/\([^]*\)$/, '');
  const meant = denial(what, name, table, { paths: 'stars', unknown: ALL_THAT_ACTS });
  const rights = rightsNamed(name);
  const takes =
    rights === undefined ? TAKES_NONE : amongRights(new Set([...rights].filter((right) => right === 'spawn')));
  const isKnown = rights !== undefined || meant.isExact === true;
  const servers = meant.rules ?? [];
  const asks = (right: string): boolean => meant.takes(right) || servers.some((rule) => rule.startsWith(`${right}/`));
  return isKnown ? { what, takes, asks, isExact: true } : { what, takes: ALL_THAT_ACTS };
}

/** These give more than asking does, or nothing. */
const HARMLESS_MODES: ReadonlySet<string> = new Set(['default', 'acceptEdits', 'bypassPermissions', 'auto']);

export function restrictMode(what: string, value: YamlNode, draft: AgentDraft): void {
  const [mode = ''] = textsIn(value);
  if (HARMLESS_MODES.has(mode)) return draft.lose(what, '`trust` says what need not ask');
  // Plan mode changes nothing, and asks before it reads a page.
  const takes = mode === 'plan' ? keepsOnly('files', 'person', 'web') : ALL_THAT_ACTS;
  draft.restrictions.push({ what: `${what}: ${mode}`, takes });
}

/** A name that is no tool here takes away nothing from an agent that names its tools one by one. */
export const denialForm = (draft: AgentDraft): DenialForm => ({
  paths: 'gitignore',
  unknown: draft.namesTools ? TAKES_NONE : ALL_THAT_ACTS,
});
