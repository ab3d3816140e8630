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
import { type SpawnNames, spawnNames } from '../tree/spawn-names.ts';
import { answerFold } from './answer.ts';
import { givenFold } from './given-texts.ts';
import { type HowTold, ProvenanceFold, type ToldMessage } from './provenance.ts';

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

export class WhyFold {
  readonly provenance = new ProvenanceFold();
  readonly #runs = new Lineage();
  readonly #answer = answerFold(this.#runs);
  readonly #names = spawnNames();
  readonly #given = givenFold();
  readonly #known = new Map<OpPath, OpFact>();
  #asked = { agent: '', request: '' };
  #ended: Outcome | undefined;

  add(event: RunEvent): void {
    this.#runs.add(event);
    this.#answer.add(event);
    this.#names.add(event);
    this.#given.add(event);
    this.provenance.add(event);
    if (event.type === 'run-start') this.#asked = { agent: event.agent, request: event.input.text };
    else if (event.type === 'run-end') this.#ended = event.outcome;
    else if (event.type === 'op-start') {
      const fact = factOf(event.op, this.#runs, this.#names);
      if (fact !== undefined) this.#known.set(event.path, fact);
    } else if (event.type === 'op-end') {
      const one = this.#known.get(event.path);
      if (one !== undefined) Object.assign(one, { text: resultText(event), passedOver: passedOverIn(event) });
    } else if (event.type === 'op' && event.kind === 'post') {
      const { memberId, message, number } = event.value as Broadcast;
      this.#known.set(event.path, { name: memberId, about: `#${number}`, text: message });
    }
  }

  /** Explains an op; without one, the answer or any other end of the run. It may be handed on without the fold. */
  readonly why = (path?: OpPath): Why => {
    const turns = this.provenance.back(path ?? this.#lastTurn() ?? ROOT);
    const steps = turns.map((op, index): WhyStep => {
      const led = index === 0 ? undefined : this.#runs.above(turns[index - 1] ?? '');
      const opened = led?.kind === 'say' ? this.#runs.at(led.session) : led;
      const { name = '', turn = 0, text = '', passedOver } = this.#known.get(op) ?? {};
      const given = this.#given.of(name);
      const isAnswer = index === 0 && path === undefined && this.#ended !== undefined && !isBroken(this.#ended);
      return {
        op,
        agent: name,
        turn,
        does: opened === undefined ? (isAnswer ? 'answers' : 'decides') : doesFor(opened.trigger.kind),
        ...present({ to: opened?.agent, trigger: opened?.trigger.kind }),
        text,
        ...present({ passedOver }),
        beside: this.#besideOf(op),
        ...(given.length > 0 && { given }),
      };
    });
    return { steps, ...this.#asked };
  };

  #partOf({ how, op, name, text }: ToldMessage): WhyPart {
    const one = this.#known.get(op);
    return {
      how,
      op,
      name: name ?? one?.name ?? '',
      ...present({ trigger: this.#runs.at(op)?.trigger.kind, about: one?.about || undefined }),
      text: text ?? one?.text ?? '',
    };
  }

  #besideOf(turn: OpPath): readonly WhyPart[] {
    const place = this.#runs.above(turn)?.path;
    const own = [...this.#known].flatMap(([path, one]) =>
      one.turn !== undefined && this.#runs.above(path)?.path === place ? [path] : [],
    );
    return own
      .slice(0, own.indexOf(turn) + 1)
      .flatMap((path) => this.provenance.told(path))
      .filter(({ how }) => how !== 'request' && how !== 'asked')
      .map((told) => this.#partOf(told));
  }

  #lastTurn(): OpPath | undefined {
    const place = this.#answer.place() ?? this.#runs.at(ROOT);
    return place === undefined ? undefined : this.provenance.turnOf(place.path);
  }
}

function factOf(op: OpStart['op'], runs: Lineage, names: SpawnNames): OpFact | undefined {
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
