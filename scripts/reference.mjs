// npm run docs: writes docs/reference and schema from the tables in src: the keys of agent files and of cadre.yaml, the faults, the
// command line. With --check it writes nothing, and fails if a file is not up to date.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';
import { commandLine } from './command-line.mjs';
import { lookUp } from './reference/declarations.mjs';

const { values } = commandLine(import.meta.url, { options: { check: { type: 'boolean' } } });
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const load = async (file) =>
  (await runnerImport(join(root, file), { configFile: false, logLevel: 'error', root })).module;

const { frontmatterSchema, configSchema } = await load('src/definition/show/frontmatter-schema.ts');
const { FAULTS } = await load('src/kernel/fault.ts');
const { program } = await load('src/cli/arguments/program.ts');
const { exitCodes } = await load('src/cli/exit-codes.ts');
const { ChatRequest, ResponsesRequest } = await load('src/server/heads/openai/parameters.ts');
const { MessagesRequest } = await load('src/server/heads/anthropic/parameters.ts');
const { ADDRESSES, ROUTES } = await load('src/server/routes/all-routes.ts');
const { parametersOf } = await load('src/server/routes/openapi.ts');
const { messageSchema } = await load('src/server/messages/schema.ts');
const { testFileSchema } = await load('src/agent-tests/test-file.ts');
const { CONDITIONS, SCRIPTED_FAULTS, STEP_KEYS } = await load('src/models/scripted/script.ts');
const { PLACEHOLDERS } = await load('src/models/scripted/template.ts');
const { faultsOf, pathTemplate, TAGS } = await load('src/server/routes/openapi.ts');

/** Keys whose texts are references to agents, in any form. */
const refKeys = new Set(
  'agents next handoff destinations advisors members supervisor to else otherwise sequence aliases'.split(' '),
);
const code = (text) => `\`${text}\``;
const block = (text) => `\`\`\`text\n${text.trimEnd()}\n\`\`\``;
/** A text, escaped for a table. */
const cell = (text) => text.replace(/\||<(?=[a-z])/g, '\\$&');

const files = new Map([
  ['schema/frontmatter.json', formatted('schema/frontmatter.json', frontmatterSchema())],
  ['schema/cadre-yaml.json', formatted('schema/cadre-yaml.json', configSchema())],
  ['docs/reference/frontmatter.md', frontmatterPage(frontmatterSchema())],
  ['docs/reference/config.md', configPage(configSchema())],
  ['docs/reference/faults.md', faultsPage(FAULTS)],
  ['docs/reference/cli.md', await cliPage()],
  ['docs/reference/heads.md', headsPage()],
  ['docs/reference/http.md', httpPage(ROUTES)],
  ['docs/reference/library.md', libraryPage()],
  ['docs/reference/script.md', scriptPage()],
  ['docs/reference/tests.md', testsPage()],
]);

if (values.check) {
  const stale = [...files].filter(([file, text]) => readOrNothing(file) !== text).map(([file]) => file);
  if (stale.length > 0) {
    console.error(`Not up to date: ${stale.join(', ')}. Run: npm run docs`);
    process.exitCode = 1;
  }
} else {
  for (const [file, text] of files) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
}

function readOrNothing(file) {
  try {
    return readFileSync(join(root, file), 'utf8');
  } catch {
    return undefined;
  }
}

function formatted(file, schema) {
  const biome = join(root, 'node_modules/.bin/biome');
  const input = JSON.stringify(schema, null, 2);
  return execFileSync(biome, ['format', `--stdin-file-path=${file}`], { cwd: root, input, encoding: 'utf8' });
}

function page(title, introduction, ...sections) {
  const note = '<!-- Written by `npm run docs`. Change the source, not this page. -->';
  return `${[`# ${title}`, note, introduction, ...sections].join('\n\n')}\n`;
}

function frontmatterPage(schema) {
  return page(
    'Keys of an agent file',
    'What stands between the `---` lines. [Agent files](../concepts/agent-files.md) explains how they work together.\n' +
      'The same as a JSON Schema for editors: [`schema/frontmatter.json`](../../schema/frontmatter.json).\n\n' +
      'A *ref* names an agent: its name, its path or an alias. A *duration* is `500ms`, `30s`, `10m`, `2h` or a number of seconds.',
    ...tables(schema, 'All keys'),
  );
}

function configPage(schema) {
  return page(
    'Keys of cadre.yaml',
    '[Agent files](../concepts/agent-files.md#cadreyaml) explains them. As a JSON Schema for editors:\n' +
      '[`schema/cadre-yaml.json`](../../schema/cadre-yaml.json). `defaults` takes the [keys of an agent file](frontmatter.md)\n' +
      'that do not refer to other agents.',
    ...tables(schema, 'All keys', new Set(['defaults'])),
  );
}

function testsPage() {
  return page(
    'Keys of a test file',
    'What stands in a `*.test.yaml` file. [Tests](../concepts/testing.md) shows one at work. `agent` and the keys beside it hold for all\n' +
      'cases, and a case may have its own.',
    ...tables(testFileSchema(), 'All keys'),
  );
}

function scriptPage() {
  const table = (title, rows, wrap = (name) => name) =>
    [
      `| ${title} | |`,
      '|---|---|',
      ...Object.entries(rows).map(([name, means]) => `| ${code(wrap(name))} | ${cell(means)} |`),
    ].join('\n');
  return page(
    'Keys of a script',
    'What the [scripted model](../concepts/scripted-model.md) answers from. A script has `agents` (steps by the name of an agent), `any`\n' +
      '(steps for agents without a list of their own) and `pace` (`delay` and `chunk` of every step).',
    '## A step',
    table('key', STEP_KEYS),
    '## Conditions',
    'They stand under `when`, and all of them must hold. A text is found as it is; between slashes it is a regular expression.',
    table('condition', CONDITIONS),
    '## Placeholders',
    'They may stand in texts and arguments. A path looks into a text that is JSON, as in `{{input.customer.id}}`; an argument that is nothing\n' +
      'but such a placeholder keeps its type. `\\{{` is a literal `{{`.',
    table('placeholder', PLACEHOLDERS, (name) => `{{${name}}}`),
    '## Faults',
    'Each spoils one attempt of a model call. `{ status: 503, retryAfter: 2s, message: … }` refuses the call in your words.',
    table('fault', SCRIPTED_FAULTS),
  );
}

/** The types that programs work with, as the source has them. */
function libraryPage() {
  const places = {
    cadre: {
      'src/index.ts':
        'CadreOptions RunOptions ForkOptions Cadre RunHandle Watcher ResumeOptions ChatOptions Chat SpawnOptions',
    },
    'Tools and people': { 'src/index.ts': 'FunctionTool SchemaTool ToolContext Approver InputFile' },
    Teams: {
      'src/patterns/team-strategy.ts': 'TeamStrategy TeamAtWork TeamOrchestrator Member MemberExit',
      'src/run/broadcast-hook.ts': 'BroadcastHook BroadcastPlace BroadcastVerdict',
    },
    Patterns: {
      'src/patterns/record.ts': 'Pattern Layer TriggerTraits PatternEdge PatternSeat',
      'src/patterns/key-form.ts': 'KeySpec PatternForm PatternKey AgentForm AgentsForm NumberForm KeysForm',
      'src/patterns/pattern.ts': 'PatternContext PatternToolContext',
    },
    'cadre/server': { 'src/server/server-options.ts': 'ServeOptions CadreServer' },
  };
  const declared = (file, name) => {
    const found = lookUp(name, file);
    if (found === undefined) throw new Error(`${file} leads to no declaration of ${name}`);
    return `### ${name}\n\n${found.comment === '' ? '' : `${found.comment}\n\n`}\`\`\`ts\n${found.body}\n\`\`\``;
  };
  const parts = Object.entries(places).map(([title, files]) => [
    `## ${title}`,
    ...Object.entries(files).flatMap(([file, names]) => names.split(' ').map((name) => declared(file, name))),
  ]);
  return page(
    'The library',
    'Types of the [library](../concepts/library.md), copied from the source. Whatever stands in their signatures is reached through them, as in\n' +
      "`Parameters<Cadre['fork']>[2]`. Addresses and messages of `cadre/client` are those of the [HTTP API](http.md).",
    ...parts.flat(),
  );
}

/** One table for the keys here, then one for each key that has keys of its own. */
function tables(schema, title, leaves = new Set(), path = []) {
  const properties = Object.entries(schema.properties);
  const rows = properties.map(([name, key]) => {
    const required = schema.required?.includes(name) ? 'required' : '';
    const standard =
      key.default === undefined
        ? required
        : code(typeof key.default === 'string' ? key.default : JSON.stringify(key.default));
    return `| ${code(name)} | ${cell(leaves.has(name) ? 'keys of an agent file' : takes(key, refKeys.has(name)))} | ${standard} | ${cell(key.description ?? '')} |`;
  });
  const table = ['| key | takes | default | meaning |', '|---|---|---|---|', ...rows].join('\n');
  const below = properties.flatMap(([name, key]) => {
    if (leaves.has(name)) return [];
    const at = [...path, name];
    return objectsIn(key).flatMap(({ schema: inner, named }, index, all) => {
      const full = named ? [...at, `<name>`] : at;
      // Forms of one key are told apart by the first key that they need.
      const sign = index > 0 && all[0].schema !== inner ? inner.required?.[0] : undefined;
      const title = sign === undefined ? code(full.join('.')) : `${code(full.join('.'))} with ${code(sign)}`;
      return tables(inner, title, leaves, full);
    });
  });
  return [`## ${title}`, table, ...below];
}

function objectsIn(schema) {
  if (schema.properties !== undefined) return [{ schema, named: false }];
  if (typeof schema.additionalProperties === 'object') {
    return objectsIn(schema.additionalProperties).map((one) => ({ ...one, named: true }));
  }
  if (schema.items !== undefined) return objectsIn(schema.items);
  return (schema.anyOf ?? []).flatMap(objectsIn);
}

function takes(schema, isRef) {
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map((one) => takes(one, isRef)))].join(', or ');
  if (schema.oneOf !== undefined) return 'duration';
  if (schema.enum !== undefined) return schema.enum.map(code).join(', ');
  if (Array.isArray(schema.type)) return 'JSON Schema';
  switch (schema.type) {
    case 'null':
      return code('~');
    case 'string':
      return isRef ? 'ref' : 'text';
    case 'boolean':
      return '`true` or `false`';
    case 'integer':
      return `whole number, ${schema.minimum} to ${schema.maximum}`;
    case 'number':
      return `number, ${schema.exclusiveMinimum === undefined ? schema.minimum : `above ${schema.exclusiveMinimum}`} to ${schema.maximum}`;
    case 'array': {
      const item = takes(schema.items, isRef);
      return `list of ${item.includes(', ') ? `(${item})` : item}`;
    }
    case 'object': {
      const values = schema.additionalProperties;
      if (typeof values !== 'object') return schema.properties === undefined ? 'any keys' : 'keys below';
      return values.properties === undefined
        ? `names, each with a ${takes(values, isRef)}`
        : 'names, each with keys below';
    }
    case undefined:
      return 'any value';
    default:
      throw new Error(`no words for the schema ${JSON.stringify(schema)}`);
  }
}

function faultsPage(faults) {
  const rows = Object.entries(faults).map(
    ([name, { outcome, retriable, exit, http, means }]) =>
      `| ${code(name)} | ${code(outcome)} | ${retriable ? 'yes' : 'no'} | ${exit} | ${http} | ${cell(means)} |`,
  );
  return page(
    'Faults',
    'Every expected failure has one of these codes: on the outcome of a run, in the journal, in HTTP answers, and on stderr\n' +
      'in brackets. *Again* says whether another try of the same thing may help. *Exit* is the exit code of the command line;\n' +
      '[sessions](../concepts/sessions.md#outcomes) explains the outcomes.',
    ['| code | outcome | again | exit | HTTP | meaning |', '|---|---|---|---|---|---|', ...rows].join('\n'),
  );
}

function headsPage() {
  const table = ({ shape }) =>
    [
      '| parameter | | |',
      '|---|---|---|',
      ...Object.entries(shape).map(([name, parameter]) => {
        const [, use, means] = /^(\w+): ([^]*)$/.exec(parameter.description);
        const but = parameter.meta().enum?.slice(1) ?? [];
        const allowed = but.length === 0 ? '' : ` Allowed: ${but.map((one) => code(JSON.stringify(one))).join(', ')}.`;
        return `| ${code(name)} | ${use.toLowerCase()} | ${cell(`${means.replace(/\.$/, '')}.${allowed}`)} |`;
      }),
    ].join('\n');
  return page(
    'Parameters of the heads',
    'What becomes of each parameter of another protocol. *Honoured*: it has the effect that stands beside it. *Accepted*: it changes\n' +
      'nothing, for the reason beside it. *Refused*: the request is answered with 400 and the name of the parameter; `null` and the\n' +
      'values that ask for nothing are allowed. Any other parameter is refused as unknown. [The concept](../concepts/heads.md) says how heads work.',
    '## OpenAI: chat completions',
    table(ChatRequest),
    '## OpenAI: responses',
    table(ResponsesRequest),
    '## Anthropic: messages',
    table(MessagesRequest),
  );
}

async function cliPage() {
  const top = await printed('help');
  const sections = [];
  for (const name of commandsIn(top)) {
    const help = await printed('help', name);
    sections.push(`## cadre ${name}`, block(help));
    for (const sub of commandsIn(help)) {
      sections.push(`## cadre ${name} ${sub}`, block(await printed(name, sub, '--help')));
    }
  }
  return page(
    'The command line',
    'As `cadre help` prints it. [The concept](../concepts/cli.md) says how the commands behave.',
    block(top),
    ...sections,
    '## Exit codes',
    block(exitCodes()),
  );
}

function httpPage(routes) {
  const sections = Object.entries(TAGS).flatMap(([tag, about]) => [
    `## ${tag[0].toUpperCase()}${tag.slice(1)}`,
    about,
    ...(tag === 'heads' ? [headsTable()] : routes.filter((route) => route.tag === tag).flatMap(routeSection)),
  ]);
  return page(
    'The HTTP API',
    'Every route of `cadre serve`. [The concept](../concepts/http-api.md) shows how they work together; `GET /openapi.json` has the\n' +
      'same with the schemas of all answers. Errors are problem documents with the code of a [fault](faults.md).',
    ...sections,
  );
}

/** Their parameters and answers are those of the protocols. */
function headsTable() {
  const rows = ADDRESSES.filter(({ tag }) => tag === 'heads').map(
    ({ method, path, permission, summary }) =>
      `| ${code(`${method} ${pathTemplate(path)}`)} | ${permission === 'token' ? '' : code(permission)} | ${cell(summary)} |`,
  );
  return ['| address | permission | |', '|---|---|---|', ...rows].join('\n');
}

function routeSection(route) {
  const { method, path, summary, permission, body, answers } = route;
  const fields = parametersOf(route).map(
    ({ name, in: where, required, description }) =>
      `| ${code(name)} | ${where}${required && where !== 'path' ? ', required' : ''} | ${cell(description)} |`,
  );
  const keys = body === undefined ? [] : bodyRows(messageSchema(body));
  const told = Object.entries(answers).map(([status, { description, types = {} }]) => {
    const more = Object.entries(types).map(([type, holds]) => `\n  ${code(type)}: ${holds}`);
    return `- ${status}: ${description}${more.join('')}`;
  });
  const faults = [...faultsOf(route)].flatMap(([, codes]) => codes);
  return [
    `### ${method} ${pathTemplate(path)}`,
    `${summary} ${permission === 'open' ? 'Needs no token.' : `Needs the permission ${code(permission)}.`}`,
    ...(fields.length > 0 ? [['| field | where | meaning |', '|---|---|---|', ...fields].join('\n')] : []),
    ...(keys.length > 0 ? [['| key of the body | takes | meaning |', '|---|---|---|', ...keys].join('\n')] : []),
    told.join('\n'),
    `Faults: ${faults.map(code).join(', ')}.`,
  ];
}

function bodyRows({ properties = {}, required = [] }) {
  return Object.entries(properties).map(
    ([name, schema]) =>
      `| ${code(name)} | ${cell(words(schema))}${required.includes(name) ? ', required' : ''} | ${cell(schema.description ?? '')} |`,
  );
}

function words(schema) {
  if (schema === true) return 'any JSON value';
  if (schema.const !== undefined) return code(JSON.stringify(schema.const));
  if (schema.enum !== undefined) return schema.enum.map(code).join(', ');
  if (schema.type === 'array')
    return `list of ${schema.items.type === 'object' ? keysOf(schema.items) : words(schema.items)}`;
  if (schema.type === 'object') return keysOf(schema);
  if (schema.type === undefined) return 'any JSON value';
  if (Array.isArray(schema.type)) return schema.type.map((type) => words({ type })).join(' or ');
  return schema.type === 'string'
    ? 'text'
    : schema.type === 'boolean'
      ? '`true` or `false`'
      : schema.type === 'null'
        ? '`null`'
        : schema.type;
}

function keysOf({ properties }) {
  return properties ? code(`{${Object.keys(properties).join(', ')}}`) : 'object';
}

/** The names under "Commands:" in a help text. */
function commandsIn(help) {
  const [, list = ''] = help.split(/^Commands:$/m);
  return [...list.matchAll(/^ {2}([a-z]+) /gm)].map((match) => match[1]).filter((name) => name !== 'help');
}

/** The output of a command, at its width without a terminal. */
async function printed(...argv) {
  const { write, isTTY } = process.stdout;
  let text = '';
  process.stdout.isTTY = false;
  process.stdout.write = (part) => {
    text += part;
    return true;
  };
  try {
    await program(() => '').run(argv);
  } finally {
    process.stdout.write = write;
    process.stdout.isTTY = isTTY;
  }
  return text;
}
