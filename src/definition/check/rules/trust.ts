// Rules about `trust`: each entry names a tool of the agent that asks by default, and says in brackets only what that
// tool understands. What `approve` names too is a contradiction.

import { BUILT_IN_SOURCES, builtInTools, isBuiltIn } from '../../built-in-tools.ts';
import { parseTrust } from '../../trust.ts';
import { forEachAgent, placeIn } from './checkup.ts';
import { covers, notListed, type ToolProblem } from './tools.ts';

export const trustedToolsAsk = forEachAgent((agent, checkup) => {
  const { tools, approve, trust } = agent.definition;
  for (const [index, entry] of trust.entries()) {
    const problem = problemOf(entry, tools, approve);
    if (problem !== undefined)
      checkup.report({ code: 'trust/invalid', ...placeIn(agent, checkup, ['trust', index]), ...problem });
  }
});

function problemOf(entry: string, tools: readonly string[], approve: readonly string[]): ToolProblem | undefined {
  const parsed = parseTrust(entry);
  if (parsed === undefined)
    return {
      message: `\`trust\` takes a tool or a source, and calls of it in brackets, not ${JSON.stringify(entry)}`,
      help: `Write ${FORMS}.`,
    };
  const { name, inBrackets } = parsed;
  if (!tools.some((tool) => covers(tool, name) || covers(name, tool))) return notListed('trust', name, tools);
  const source = sourceOf(name, tools);
  if (source === undefined || !BUILT_IN_SOURCES[source]!.asks)
    return {
      message: `"${name}" does not ask by default, so there is nothing to trust it with`,
      help: 'Remove it here. A tool of a server, a REST tool or a function asks only if `approve` names it.',
    };
  const approved = approve.find((one) => covers(one, name) || covers(name, one));
  if (approved !== undefined)
    return {
      message: `\`approve\` says that "${approved}" waits for a person, and \`trust\` says that "${entry}" does not`,
      help: 'Remove one of the two.',
    };
  return inBrackets === undefined ? undefined : bracketsProblem(source, entry, inBrackets);
}

/** The source of Cadre's own that a name means: the source itself, `shell/run_command`, or a tool by its plain name. */
function sourceOf(name: string, tools: readonly string[]): string | undefined {
  const [first = ''] = name.split('/', 1);
  if (isBuiltIn(first)) return first;
  const sources = tools.map((tool) => tool.split('/', 1)[0] ?? tool).filter(isBuiltIn);
  return sources.find((source) => builtInTools(source).includes(name));
}

const FORMS = Object.entries(BUILT_IN_SOURCES)
  .filter(([, { asks }]) => asks)
  .map(([source, { brackets }]) => (brackets === undefined ? source : `${source}, ${source}(${brackets.example})`))
  .join(', ');

function bracketsProblem(source: string, entry: string, inBrackets: string): ToolProblem | undefined {
  const { brackets } = BUILT_IN_SOURCES[source]!;
  if (brackets === undefined)
    return { message: `"${entry}": ${source} takes nothing in brackets`, help: `Write ${source} alone.` };
  const problem = brackets.problem(inBrackets);
  return problem === undefined
    ? undefined
    : { message: `"${entry}": ${problem}`, help: `Write it like ${source}(${brackets.example}).` };
}
