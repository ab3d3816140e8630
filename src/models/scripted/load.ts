// Turns the text of a script into a Script, or into one fault that lists every mistake with file:line:column.
// Does not read files, and does not choose which step answers.

import { didYouMean } from '../../base/text/nearest.ts';
import type { Usage } from '../../kernel/usage.ts';
import { readPlainYaml } from './plain-reader.ts';
import {
  CONDITIONS,
  type Condition,
  type FaultKind,
  SCRIPTED_FAULTS,
  type Script,
  type ScriptedCall,
  type ScriptedFault,
  type ScriptedReply,
  type ScriptStep,
  STEP_KEYS,
  type TextPattern,
} from './script.ts';
import { hasPlaceholders, templateProblem } from './template.ts';
import { readYaml, type WrittenScript, type YamlReader } from './yaml-reader.ts';

const REPLY_KEYS = ['say', 'call', 'calls', 'answer', 'report', 'reasoning'];
const USAGE_KEYS = ['input', 'output', 'cacheRead', 'cacheWrite', 'reasoning', 'usd'];

interface Pace {
  readonly delayMs: number;
  readonly chunkMs: number;
}

const UNPACED: Pace = { delayMs: 0, chunkMs: 0 };

/** `unpaced` leaves the pace of the script out, and keeps the delays that its steps have themselves. */
export function loadScript(text: string, file: string, unpaced = false): Script {
  const quick = readPlainYaml(text);
  if (quick !== undefined) {
    const script = scriptFrom(quick, file, unpaced);
    if (quick.mistakes() === 0) return script;
  }
  const full = readYaml(text, file);
  const script = scriptFrom(full, file, unpaced);
  full.settle();
  return script;
}

/** The script, as far as it could be read; the reader keeps the mistakes. */
export function scriptFrom(yaml: YamlReader, file: string, unpaced = false): Script {
  const agents = new Map<string, readonly ScriptStep[]>();
  let any: readonly ScriptStep[] = [];
  const top = yaml.entries(yaml.root, 'a script', ['agents', 'any', 'pace']);
  const written = readPace(yaml, top.find(({ key }) => key === 'pace')?.value);
  const pace = unpaced ? UNPACED : written;
  for (const { key, value } of top) {
    if (key === 'any') any = readSteps(yaml, value, { agent: '*', file, pace });
    if (key !== 'agents') continue;
    for (const own of yaml.entries(value, '"agents"')) {
      agents.set(own.key, readSteps(yaml, own.value, { agent: own.key, file, pace }));
    }
  }
  return { file, agents, any };
}

interface Origin {
  readonly agent: string;
  readonly file: string;
  readonly pace: Pace;
}

function readSteps(yaml: YamlReader, node: WrittenScript, origin: Origin): readonly ScriptStep[] {
  const what = origin.agent === '*' ? '"any"' : `the script of "${origin.agent}"`;
  let endless: ScriptStep | undefined;
  return yaml.items(node, what).map((item) => {
    const step = readStep(yaml, item, origin);
    if (step.when === undefined) {
      if (endless !== undefined) {
        yaml.wrong(item, `this step is never reached: the one at line ${endless.line} repeats for ever.`);
      }
      if (step.repeat === Number.POSITIVE_INFINITY) endless = step;
    }
    return step;
  });
}

function readStep(yaml: YamlReader, node: WrittenScript, origin: Origin): ScriptStep {
  const before = yaml.mistakes();
  const given = new Map(yaml.entries(node, 'a step', Object.keys(STEP_KEYS)).map(({ key, value }) => [key, value]));
  const when = given.has('when') ? readCondition(yaml, given.get('when') ?? null) : undefined;
  const hasRegex = [when?.last, when?.input, when?.history].some((pattern) => pattern instanceof RegExp);
  const hasReply = REPLY_KEYS.some((key) => given.has(key));
  const reply = hasReply ? readReply(yaml, given, hasRegex) : undefined;
  const faults = given.has('fault') ? readFaults(yaml, given.get('fault') ?? null) : [];
  if (!hasReply && !given.has('fault') && yaml.mistakes() === before) {
    yaml.wrong(node, 'a step needs a reply (say, call, calls, answer or report) or a fault.');
  }
  if (hasReply && when !== undefined && given.has('repeat')) {
    yaml.wrong(
      given.get('repeat') ?? null,
      '"repeat" has no effect beside "when": such a step answers whenever its condition holds.',
    );
  }
  const { usage, usd } = readUsage(yaml, given.get('usage'));
  return {
    agent: origin.agent,
    file: origin.file,
    line: yaml.place(node).line,
    ...(when === undefined ? {} : { when }),
    faults,
    ...(reply === undefined ? {} : { reply }),
    repeat: readRepeat(yaml, given.get('repeat')),
    ...readPace(yaml, undefined, given, origin.pace),
    ...(usage === undefined ? {} : { usage }),
    ...(usd === undefined ? {} : { usd }),
  };
}

function readCondition(yaml: YamlReader, node: WrittenScript): Condition {
  const condition: { -readonly [Key in keyof Condition]: Condition[Key] } = {};
  const before = yaml.mistakes();
  const entries = yaml.entries(node, '"when"', Object.keys(CONDITIONS));
  for (const { key, value } of entries) {
    if (key === 'turn') {
      const turn = yaml.number(value, '"turn"', 1);
      if (turn !== undefined) condition.turn = turn;
    } else if (key === 'compact') {
      if (yaml.value(value) === true) condition.compact = true;
      else yaml.wrong(value, '"compact" can only be true: such a step answers compactions, and no other does.');
    } else if (key === 'tool' || key === 'file') {
      const name = yaml.text(value, `"${key}"`);
      if (name !== undefined) condition[key] = name;
    } else {
      const pattern = readPattern(yaml, value, `"${key}"`);
      if (pattern !== undefined) condition[key as 'last' | 'input' | 'history'] = pattern;
    }
  }
  if (entries.length === 0 && yaml.mistakes() === before)
    yaml.wrong(node, '"when" needs a condition: turn, last, input, tool, history, file or compact.');
  return condition;
}

function readPattern(yaml: YamlReader, node: WrittenScript, what: string): TextPattern | undefined {
  const text = yaml.text(node, what);
  const written = /^\/(.+)\/([a-z]*)$/s.exec(text ?? '');
  if (text === undefined || written === null) return text;
  try {
    return new RegExp(written[1] ?? '', (written[2] ?? '').replace(/[gy]/g, ''));
  } catch (error) {
    yaml.wrong(node, `${what} is not a regular expression: ${(error as Error).message}.`);
    return undefined;
  }
}

function readReply(yaml: YamlReader, given: ReadonlyMap<string, WrittenScript>, hasRegex: boolean): ScriptedReply {
  const text = (key: string): string | undefined => {
    const node = given.get(key);
    if (node === undefined) return undefined;
    const found = yaml.text(node, `"${key}"`);
    checkTemplates(yaml, node, found, hasRegex);
    return found;
  };
  const answer = text('answer');
  for (const key of ['say', 'call', 'calls', 'report']) {
    if (!given.has('answer') || !given.has(key)) continue;
    yaml.wrong(
      given.get(key) ?? null,
      `"${key}" does not go with "answer", which is the whole reply. Use "say" for text beside a call.`,
    );
  }
  const calls: ScriptedCall[] = [];
  if (given.has('call')) calls.push(...readCalls(yaml, given.get('call') ?? null, hasRegex));
  if (given.has('calls')) {
    for (const item of yaml.items(given.get('calls') ?? null, '"calls"'))
      calls.push(...readCalls(yaml, item, hasRegex));
  }
  if (given.has('report')) {
    const node = given.get('report') ?? null;
    const report = yaml.value(node);
    checkTemplates(yaml, node, report, hasRegex);
    calls.push({ name: 'final_report', arguments: yaml.isMap(node) ? report : { content: report } });
  }
  const reasoning = text('reasoning');
  const said = answer ?? text('say') ?? '';
  return {
    text: said,
    ...(reasoning === undefined ? {} : { reasoning }),
    calls,
    templated:
      hasPlaceholders(said) || hasPlaceholders(reasoning) || calls.some((call) => hasPlaceholders(call.arguments)),
  };
}

/** `list_files`, or `{ list_files: { path: "." } }`. */
function readCalls(yaml: YamlReader, node: WrittenScript, hasRegex: boolean): readonly ScriptedCall[] {
  if (!yaml.isMap(node)) {
    const name = yaml.text(node, 'a call');
    return name === undefined ? [] : [{ name, arguments: {} }];
  }
  const entries = yaml.entries(node, 'a call');
  if (entries.length !== 1) {
    yaml.wrong(
      node,
      'a call is one tool with its arguments: { read_file: { path: a.txt } }. For several use "calls", a list.',
    );
    return [];
  }
  return entries.map(({ key, value }) => {
    const given = yaml.value(value) ?? {};
    checkTemplates(yaml, value, given, hasRegex);
    return { name: key, arguments: given };
  });
}

function checkTemplates(yaml: YamlReader, node: WrittenScript, value: unknown, hasRegex: boolean): void {
  if (typeof value === 'string') {
    const problem = templateProblem(value, hasRegex);
    if (problem !== undefined) yaml.wrong(node, problem);
  } else if (typeof value === 'object' && value !== null) {
    for (const item of Object.values(value)) checkTemplates(yaml, node, item, hasRegex);
  }
}

function readFaults(yaml: YamlReader, node: WrittenScript): readonly ScriptedFault[] {
  if (!yaml.isList(node)) return readFault(yaml, node);
  return yaml.items(node, '"fault"').flatMap((item) => readFault(yaml, item));
}

function readFault(yaml: YamlReader, node: WrittenScript): readonly ScriptedFault[] {
  if (yaml.isMap(node)) {
    const given = new Map(
      yaml.entries(node, 'a fault', ['status', 'retryAfter', 'message']).map(({ key, value }) => [key, value]),
    );
    if (!given.has('status')) yaml.wrong(node, 'a fault written as a mapping needs an HTTP status: { status: 503 }.');
    const status = given.has('status') ? yaml.number(given.get('status') ?? null, '"status"', 400) : 500;
    const wait = given.has('retryAfter') ? yaml.duration(given.get('retryAfter') ?? null, '"retryAfter"') : undefined;
    const message = given.has('message') ? yaml.text(given.get('message') ?? null, '"message"') : undefined;
    const rest = {
      ...(wait === undefined ? {} : { retryAfterMs: wait }),
      ...(message === undefined ? {} : { message }),
    };
    return [{ kind: 'status', status: status ?? 500, ...rest }];
  }
  const kind = yaml.text(node, '"fault"');
  if (kind === undefined) return [];
  if (Object.hasOwn(SCRIPTED_FAULTS, kind)) return [{ kind: kind as FaultKind }];
  const kinds = Object.keys(SCRIPTED_FAULTS);
  const known = `Known: ${kinds.join(', ')}, or { status: 503, retryAfter: 1s }.`;
  yaml.wrong(node, `there is no fault "${kind}".${didYouMean(kind, kinds)} ${known}`);
  return [];
}

function readRepeat(yaml: YamlReader, node: WrittenScript | undefined): number {
  if (node === undefined) return 1;
  const value = yaml.value(node);
  if (value === true) return Number.POSITIVE_INFINITY;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 100_000) return value;
  yaml.wrong(node, '"repeat" must be true (for ever) or a whole number from 1 to 100000.');
  return 1;
}

function readPace(
  yaml: YamlReader,
  node: WrittenScript | undefined,
  given?: ReadonlyMap<string, WrittenScript>,
  base?: Pace,
): Pace {
  const from =
    given ??
    new Map(node ? yaml.entries(node, '"pace"', ['delay', 'chunk']).map(({ key, value }) => [key, value]) : []);
  const of = (key: string, otherwise: number) =>
    from.has(key) ? (yaml.duration(from.get(key) ?? null, `"${key}"`) ?? 0) : otherwise;
  return { delayMs: of('delay', base?.delayMs ?? 0), chunkMs: of('chunk', base?.chunkMs ?? 0) };
}

function readUsage(yaml: YamlReader, node: WrittenScript | undefined): { usage?: Usage; usd?: number } {
  if (node === undefined) return {};
  const { usd, input, output, ...parts } = Object.fromEntries(
    yaml.entries(node, '"usage"', USAGE_KEYS).map(({ key, value }) => [key, yaml.number(value, `"${key}"`, 0) ?? 0]),
  ) as Partial<Record<string, number>>;
  const counted = input !== undefined || output !== undefined;
  const usage = { input: input ?? 0, output: output ?? 0, ...(parts as Partial<Usage>) };
  return { ...(counted ? { usage } : {}), ...(usd === undefined ? {} : { usd }) };
}
