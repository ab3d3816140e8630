// The answer of a run while it is written, for a client that shows text as it comes. Text that was sent cannot be taken
// back, so this sends what may be the answer: what the agent that talks with the user writes. What it wrote before a tool
// call stays as a paragraph of its own, and the last paragraph is the answer.
// WRITE-1. What was sent ends with the answer of the run, whatever was written before.
// WRITE-2. Nothing is sent of an answer that must be JSON before it is complete and checked.
// WRITE-3. Nothing is sent of an answer that a judge may send back: it is sent whole at the end.

import type { CadreDefinition } from '../../definition/definition.ts';
import type { AgentName } from '../../kernel/effect.ts';
import type { OpPath } from '../../kernel/path.ts';
import type { OutputContract } from '../../kernel/schema.ts';
import { FINAL_REPORT } from '../../kernel/session/final-report.ts';
import { handoffPattern, nextPattern } from '../../patterns/chain/pattern.ts';
import { answerers, standingSchema } from '../../patterns/final-answerers.ts';
import { configOf } from '../../patterns/record.ts';
import { repeatPattern } from '../../patterns/repeat/pattern.ts';
import { triggerTraits } from '../../patterns/trigger-traits.ts';
import type { Watcher } from '../../run/bus.ts';
import { type AgentRun, Lineage } from '../../views/lineage.ts';
import { reportText } from './report-text.ts';

/**
 * The mark at which a reply broke off, before the text of the next one. If no text follows, the run's failure says so.
 */
export const BROKE_OFF = '[The reply broke off here. It begins again.]';

const BREAK = '\n\n';

/** `write` gets every piece of text, in order. */
export function answerWriting(
  cadre: CadreDefinition,
  agent: AgentName,
  contract: OutputContract | undefined,
  write: (text: string) => void,
): Required<Watcher> & {
  /** Writes what is missing of the answer. */
  finish(answer: string): void;
} {
  // WRITE-2. An answer that stands in a branch is JSON, whatever the caller wants.
  const mayAnswer = new Set(
    isJson(cadre, agent, contract)
      ? []
      : answerers(agent, cadre.agents).filter((name) => standingSchema(name, cadre.agents) === undefined),
  );
  const runs = new Lineage();
  /** The model calls whose text is sent. */
  const sent = new Set<OpPath>();
  /** The part of the current reply that was sent. */
  let reply = '';
  let writer: OpPath | undefined;
  let report: ReturnType<typeof reportText> | undefined;
  let isAny = false;
  let isBrokenOff = false;

  const begin = (path: OpPath | undefined): void => {
    writer = path;
    report = undefined;
    reply = '';
  };
  const send = (text: string): void => {
    if (text === '') return;
    if (reply === '' && isAny) write(isBrokenOff ? `${BREAK}${BROKE_OFF}${BREAK}` : BREAK);
    isAny = true;
    isBrokenOff = false;
    reply += text;
    write(text);
  };
  const told = (path: OpPath, text: string): void => {
    if (!sent.has(path)) return;
    if (writer !== path) begin(path);
    send(text);
  };
  return {
    event(event) {
      if (mayAnswer.size === 0) return;
      runs.add(event);
      if (event.type === 'op-start' && event.op.kind === 'model' && event.op.compact === undefined) {
        const place = runs.above(event.path);
        if (mayAnswer.has(event.op.agent) && talksWithUser(place) && !isJudged(place, cadre)) sent.add(event.path);
      } else if (event.type === 'attempt' && writer === event.path && reply !== '') {
        isBrokenOff = true;
        begin(undefined);
      }
    },
    live(event) {
      if (event.type === 'text') told(event.path, event.text);
      else if (event.type === 'call' && event.name === FINAL_REPORT && sent.has(event.path)) {
        if (writer !== event.path || report === undefined) begin(event.path);
        report ??= reportText();
        send(report.push(event.text));
      }
    },
    finish(answer) {
      const given = answer.trimStart();
      const written = reply.trimStart();
      if (written !== '' && given.startsWith(written)) send(given.slice(written.length));
      else if (written === '' || written.trimEnd() !== given.trimEnd()) {
        begin(undefined);
        send(answer); // WRITE-1
      }
    },
  };
}

/** Each run above it hands its answer up, to the run that the client asked for. */
function talksWithUser(place: AgentRun | undefined): boolean {
  for (let at = place; at?.parent !== undefined; at = at.parent) if (!triggerTraits(at.trigger).answers) return false;
  return place !== undefined;
}

/** The patterns that take an answer on when its loop is over. */
const BEHIND_THE_LOOP: ReadonlySet<string> = new Set([nextPattern.key, handoffPattern.key]);

/** WRITE-3. The loop is that of the agent itself, or of one whose team or round this is. */
function isJudged(place: AgentRun | undefined, { agents }: CadreDefinition): boolean {
  let isWithin = true;
  for (let at = place; at !== undefined; at = at.parent) {
    const agent = agents.get(at.agent);
    if (isWithin && agent !== undefined && configOf(agent, repeatPattern) !== undefined) return true;
    isWithin = !BEHIND_THE_LOOP.has(triggerTraits(at.trigger).pattern);
  }
  return false;
}

function isJson(cadre: CadreDefinition, agent: AgentName, contract: OutputContract | undefined): boolean {
  if (contract !== undefined) return contract.format === 'json';
  const names = answerers(agent, cadre.agents);
  return names.length === 0 || names.some((name) => cadre.agents.get(name)?.output.format === 'json');
}
