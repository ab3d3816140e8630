// The prompt of an agent as it would be now. Nothing is run, and no model is called.
// PROMPT-1. A session is made by the same programs as in a run, and asked for its first request: so what is shown is what
//           would be sent.

import type { AgentDefinition, CadreDefinition } from '../../definition/definition.ts';
import type { RunEvent } from '../../journal/event.ts';
import { replayJournal } from '../../journal/replay-journal.ts';
import type { ModelRequest, Routine } from '../../kernel/effect.ts';
import { FaultError, fail } from '../../kernel/fault.ts';
import type { Outcome } from '../../kernel/outcome.ts';
import { ROOT } from '../../kernel/path.ts';
import { KERNEL_REVISION } from '../../kernel/revision.ts';
import { openConversation } from '../../kernel/session/conversation.ts';
import { configOf } from '../../patterns/record.ts';
import { preamble } from '../../patterns/team/charter.ts';
import { teamPattern } from '../../patterns/team/pattern.ts';
import { offeredTo } from '../../run/agent-facts.ts';
import type { DrivenRun, NewRunStart } from '../../run/driven-run.ts';
import { NO_HOST } from '../../run/host-program.ts';
import { programs } from '../../run/program.ts';
import { readAndKeep, readSkills } from '../../run/read-given.ts';
import { openResources } from '../../run/resources/open-resources.ts';
import type { CadreResources } from '../../run/resources.ts';
import { services } from '../../run/services.ts';
import { redactedCadre } from '../../secrets/redacted-cadre.ts';
import { memoryStore } from '../../stores/memory.ts';
import { promptView } from '../../views/talk/prompt-parts.ts';
import { Stop } from '../../world/abort.ts';

export async function currentPrompt(cadre: CadreDefinition, agent: AgentDefinition) {
  const resources = openResources(cadre);
  try {
    const unseen = agent.tools.filter(isOutside);
    const seen = { ...agent, tools: agent.tools.filter((entry) => !unseen.includes(entry)) };
    const definition = { ...cadre, agents: new Map([...cadre.agents, [agent.name, seen]]) };
    const shown = resources.secrets === undefined ? definition : redactedCadre(definition, resources.secrets);
    const { request, own } = await firstRequest(shown, agent.name, resources);
    return {
      ...promptView(request, own, services.estimate),
      /** The texts that stand before its own in teams. */
      teams: charters(shown, agent.name).map((one) => ({ ...one, tokens: services.estimate(one.text) })),
      /** Entries of `tools` that were not looked at: servers are not started, and functions not loaded. */
      unseen,
    };
  } finally {
    await resources.close();
  }
}

/** A server or a function: to look at it starts a program. */
const isOutside = (entry: string): boolean => !/^(?:files|shell|web|person|rest:)/.test(entry);

async function firstRequest(
  definition: CadreDefinition,
  name: string,
  resources: CadreResources,
): Promise<{ readonly request: ModelRequest; readonly own: string }> {
  const store = memoryStore();
  const facts = new Map<string, unknown>();
  const parts = {
    cadre: { resources, secrets: resources.secrets },
    environment: { store, warn() {} },
    start: { run: 'now' },
  };
  const run: DrivenRun = {
    start: startNow(definition, name),
    definition,
    environment: { services, host: NO_HOST, now: Date.now },
    journal: {
      ...replayJournal([]),
      isReplay: false,
      fact: (key) => facts.get(key),
      append(event) {
        if (event.type === 'fact') facts.set(event.key, event.value);
        return { ...event, seq: 0, at: 0 } as RunEvent;
      },
    },
    signal: new Stop(),
    async textOf(digest) {
      const bytes = await store.blobs.get(digest);
      return bytes === undefined ? undefined : new TextDecoder().decode(bytes);
    },
    given: { text: (path, what) => readAndKeep(path, what, parts), skills: (entry) => readSkills(entry, parts) },
    facts: () => fail('internal', 'The facts are handed in.'),
  };
  const made = await programs(run, async (of) => offeredTo(of, await resources.toolsOf(of), parts.cadre))({
    agent: name,
    path: ROOT,
    trigger: { kind: 'start' },
    signal: run.signal,
    callPath: () => name,
  });
  if (!made.ok) throw new FaultError(made.fault);
  const begun = made.value.again({
    self: ROOT,
    request: { text: '' },
    conversation: openConversation(),
    trigger: { kind: 'start' },
  });
  return { request: requestIn(begun), own: definition.agents.get(name)?.system ?? '' };
}

const startNow = (definition: CadreDefinition, agent: string): NewRunStart => ({
  type: 'run-start',
  version: 3,
  run: 'now',
  agent,
  input: { text: '' },
  folder: definition.folder,
  texts: {},
  kernel: KERNEL_REVISION,
});

/** PROMPT-1. */
function requestIn(session: Routine<Outcome>): ModelRequest {
  let step = session.next();
  while (step.done !== true) {
    const effect = step.value;
    if (effect.kind === 'model') return effect.request;
    if (effect.kind !== 'take') break;
    step = session.next({ ok: true, value: { messages: [] } });
  }
  return fail('internal', 'The session ended before it asked a model.');
}

/** The texts that stand before its own in the teams that it takes part in. */
function charters(
  { agents }: CadreDefinition,
  name: string,
): readonly { readonly team: string; readonly text: string }[] {
  const card = (of: string) => ({ description: agents.get(of)?.description ?? '' }) as never;
  return [...agents.values()].flatMap((of) => {
    const config = configOf(of, teamPattern);
    if (config === undefined || ![config.supervisor, ...config.members].includes(name)) return [];
    const role = config.supervisor === name ? ('supervisor' as const) : ('member' as const);
    const seat = { team: of.name, channel: ROOT, role, memberId: name };
    return [{ team: of.name, text: preamble(of.name === name ? '' : of.system, config, seat, card) }];
  });
}
