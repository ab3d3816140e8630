// The reason why a run answered as it did, or why an op was asked for: each step is a turn that led to the one before
// it, with the messages that it was told beside its own knowledge. For `cadre show --why` and the page.

import { present } from '../../base/text/present.ts';
import type { OpEnd, OpStart, RunEvent } from '../../journal/event.ts';
import type { Broadcast, ModelReply, Verdict } from '../../kernel/effect.ts';
import type { ToolCall, ToolResult } from '../../kernel/message.ts';
import { isBroken, type Outcome } from '../../kernel/outcome.ts';
import { type OpPath, ROOT } from '../../kernel/path.ts';
import { personWord } from '../../kernel/person-words.ts';
import { Lineage } from '../lineage.ts';
import { passedOverIn } from '../passed-over.ts';
import { spawnNames } from '../tree/spawn-names.ts';
import { answerFold } from './answer.ts';
import { givenFold } from './given-texts.ts';
import { type HowTold, ProvenanceFold } from './provenance.ts';

export interface WhyStep {
  readonly op: OpPath;
  readonly agent: string;
  readonly turn: number;
  /** `answers`: it ended the run, or asked for the op in question. */
  readonly does: 'answers' | 'decides' | 'routes' | 'hands on' | 'asks';
  /** The step before this one in the list, which this one led to, and the way. */
  readonly to?: string;
  readonly trigger?: string;
  readonly text: string;
  /** Models of its list that were not asked, because they see less of the files. */
  readonly passedOver?: readonly string[];
  readonly beside: readonly WhyPart[];
  /** The texts in its prompt beside its own, in words. Absent: none. */
  readonly given?: readonly string[];
}

/** A message that a step was told. */
export interface WhyPart {
  readonly how: HowTold;
  readonly op: OpPath;
  /** The tool, or the agent. */
  readonly name: string;
  readonly trigger?: string;
  /** The main argument of a tool, or the label of a run. */
  readonly about?: string;
  readonly text: string;
}

export interface Why {
  /** The answer first, the request last. */
  readonly steps: readonly WhyStep[];
  /** The agent that was asked, and its input. */
  readonly agent: string;
  readonly request: string;
}

/** The part of an op that a step says. Its text is known once the op has ended. */
interface OpFact {
  readonly name: string;
  readonly about?: string;
  readonly turn?: number;
  text: string;
  passedOver?: readonly string[] | undefined;
}

export function whyFold(): {
  add(event: RunEvent): void;
  readonly provenance: ProvenanceFold;
  /** Explains an op; without one, the answer or any other end of the run. */
  why(path?: OpPath): Why;
} {
  const provenance = new ProvenanceFold();
  const runs = new Lineage();
  const answer = answerFold(runs);
  const names = spawnNames();
  const given = givenFold();
  const known = new Map<OpPath, OpFact>();
  let asked = { agent: '', request: '' };
  let ended: Outcome | undefined;

  const end = (event: OpEnd): void => {
    const one = known.get(event.path);
    if (one === undefined) return;
    one.text = resultText(event);
    one.passedOver = passedOverIn(event);
  };
  const partOf = (told: {
    readonly how: HowTold;
    readonly op: OpPath;
    readonly name?: string;
    readonly text?: string;
  }): WhyPart => {
    const one = known.get(told.op);
    const trigger = runs.at(told.op)?.trigger.kind;
    return {
      how: told.how,
      op: told.op,
      name: told.name ?? one?.name ?? '',
      ...present({ trigger, about: one?.about || undefined }),
      text: told.text ?? one?.text ?? '',
    };
  };
  const besideOf = (turn: OpPath): readonly WhyPart[] => {
    const place = runs.above(turn);
    const own = [...known.keys()].filter(
      (path) => known.get(path)?.turn !== undefined && runs.above(path)?.path === place?.path,
    );
    return own
      .slice(0, own.indexOf(turn) + 1)
      .flatMap((path) => provenance.told(path))
      .filter(({ how }) => how !== 'request' && how !== 'asked')
      .map(partOf);
  };
  const lastOf = (): OpPath | undefined => {
    const place = answer.place() ?? runs.at(ROOT);
    return place === undefined ? undefined : provenance.turnOf(place.path);
  };
  return {
    provenance,
    add(event) {
      runs.add(event);
      answer.add(event);
      names.add(event);
      given.add(event);
      provenance.add(event);
      if (event.type === 'run-start') asked = { agent: event.agent, request: event.input.text };
      else if (event.type === 'run-end') ended = event.outcome;
      else if (event.type === 'op-start') {
        const fact = factOf(event.op, runs, names);
        if (fact !== undefined) known.set(event.path, fact);
      } else if (event.type === 'op-end') end(event);
      else if (event.type === 'op' && event.kind === 'post') {
        const { memberId, message, number } = event.value as Broadcast;
        known.set(event.path, { name: memberId, about: `#${number}`, text: message });
      }
    },
    why(path) {
      const turns = provenance.back(path ?? lastOf() ?? ROOT);
      const steps = turns.map((op, index): WhyStep => {
        const led = index === 0 ? undefined : runs.above(turns[index - 1] ?? '');
        const opened = led?.kind === 'say' ? runs.at(led.session) : led;
        const { name = '', turn = 0, text = '', passedOver } = known.get(op) ?? {};
        const isAnswer = index === 0 && path === undefined && ended !== undefined && !isBroken(ended);
        return {
          op,
          agent: name,
          turn,
          does: opened === undefined ? (isAnswer ? 'answers' : 'decides') : doesFor(opened.trigger.kind),
          ...(opened !== undefined && { to: opened.agent, trigger: opened.trigger.kind }),
          text,
          ...(passedOver && { passedOver }),
          beside: besideOf(op),
          ...(given.of(name).length > 0 && { given: given.of(name) }),
        };
      });
      return { steps, ...asked };
    },
  };
}

function factOf(op: OpStart['op'], runs: Lineage, names: ReturnType<typeof spawnNames>): OpFact | undefined {
  switch (op.kind) {
    case 'model':
      return { name: op.agent, turn: op.turn, text: '' };
    case 'tool':
      return { name: op.call.name, about: mainArgument(op.call), text: '' };
    case 'approval': {
      const asked = op.about as Partial<ToolCall> | null;
      return { name: asked?.name ?? op.prompt, about: mainArgument(asked ?? {}), text: '' };
    }
    case 'run': {
      const { spawned } = op.trigger;
      return { name: op.agent, ...(spawned !== undefined && { about: names.of(spawned) }), text: '' };
    }
    case 'say':
      return { name: runs.at(op.session)?.agent ?? '', text: op.text };
    default:
      return undefined;
  }
}

function doesFor(trigger: string): WhyStep['does'] {
  if (trigger === 'router') return 'routes';
  if (trigger === 'handoff') return 'hands on';
  return trigger === 'next' || trigger === 'each' ? 'decides' : 'asks';
}

function resultText({ kind, result }: OpEnd): string {
  if (!result.ok) return `${result.fault.code}: ${result.fault.message}`;
  if (kind === 'model') return replyText(result.value as ModelReply);
  if (kind === 'tool') return (result.value as ToolResult).text;
  if (kind === 'approval') return denialText(result.value as Verdict);
  if (kind !== 'run' && kind !== 'say') return '';
  const outcome = result.value as Outcome;
  if (isBroken(outcome)) return `${outcome.kind}: ${outcome.fault.message}`;
  return outcome.kind === 'routed' ? (outcome.message ?? '') : outcome.text;
}

const denialText = ({ by, note }: Verdict): string =>
  [by === undefined ? undefined : `by ${personWord(by)}`, note].filter(Boolean).join(': ');

/** The words of a reply: its report or message if it ended with a call, else its text. */
function replyText({ message }: ModelReply): string {
  const [call] = message.calls.toReversed();
  if (call === undefined) return message.text;
  const given = (call.arguments ?? {}) as Readonly<Record<string, unknown>>;
  const main = given['content'] ?? given['message'];
  if (typeof main === 'string') return main;
  const spoken = message.text.trim();
  return spoken === '' ? JSON.stringify(given['content_json'] ?? given) : spoken;
}

/** The argument that tells most: the first text of a call. */
function mainArgument({ arguments: given }: Partial<ToolCall>): string {
  if (typeof given !== 'object' || given === null) return '';
  const first = Object.values(given).find((value) => typeof value === 'string');
  return typeof first === 'string' ? first.slice(0, 200) : '';
}
