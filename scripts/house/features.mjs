// The files of src that serve one feature which 0.2.0 did not have, feature by feature. A feature also has lines in files
// that others share, and those are not counted: the sums are the least that new features took.

/** A path, or the beginning of one that ends with a slash. */
const FEATURES = {
  'a branch, a map and a loop': `patterns/branch/ patterns/map/ patterns/repeat/ views/step-words.ts
    views/graph-loops.ts views/graph-maps.ts views/tree/map-items.ts views/tree/judged-rounds.ts`,
  'rules for calls': `rules/ definition/check/rules/call-rules.ts definition/check/rules/open-commands.ts
    definition/check/rules/rule-names.ts run/judged-call.ts run/resources/ruled-tools.ts`,
  'what runs later is guarded': `tools/files/runs-later.ts tools/files/named-paths.ts tools/files/start-files.ts
    tools/files/git-settings.ts tools/shell/guards.ts tools/shell/in-guards.ts tools/shell/guarded-names.ts
    tools/shell/placeholders.ts run/resources/imported-files.ts base/text/git-options.ts base/text/command-readings.ts`,
  skills: `definition/skills/ definition/read/skills.ts definition/check/rules/skills.ts definition/skill-paths.ts
    definition/import/copy-skills.ts run/skills.ts tools/skills/`,
  'project files, and a prompt in parts': `definition/read/project-files.ts definition/check/rules/project-files.ts
    tools/files/project-file.ts patterns/given-prompt.ts run/given.ts run/read-given.ts
    journal/given.ts engine/inspect/current-prompt.ts engine/history/recorded-prompts.ts views/talk/prompt-parts.ts
    views/talk/given-texts.ts cli/render/prompt-text.ts`,
  compaction: `kernel/session/compaction.ts kernel/session/compact-rules.ts definition/check/rules/compact.ts
    definition/check/known-window.ts views/talk/compactions.ts views/replaced-words.ts cli/render/compactions-text.ts`,
  'the guard against circles': 'kernel/session/circles.ts definition/check/rules/stuck.ts',
  'the same tools in all requests': 'models/callable-tools.ts patterns/spawn/brief-specs.ts journal/prefix.ts',
  'a text stands in a journal once': 'journal/repeats/',
  'log-ins, and pages of other origins': `server/auth/cross-origin.ts server/auth/login-key.ts
    server/auth/logins.ts server/auth/secret-file.ts server/refusal-log.ts`,
  'a client of the API': 'client/',
  'days, sums and saved filters of the list': `views/runs/calendar.ts views/runs/filtered-run.ts views/runs/run-sums.ts
    journal/saved-filters.ts server/routes/filter-routes.ts server/runs/listed-runs.ts`,
  'pictures and files with a request': `kernel/file-ref.ts base/media/ engine/files/ tools/media/ run/name-files.ts
    run/shown-by-tool.ts models/shown-files.ts journal/uploads.ts`,
  'agents of seven more tools': `definition/import/dialects/codex.ts definition/import/dialects/copilot.ts
    definition/import/dialects/docker.ts definition/import/dialects/docker-toolsets.ts definition/import/dialects/gemini.ts
    definition/import/dialects/goose.ts definition/import/dialects/netdata.ts definition/import/dialects/opencode.ts
    definition/import/toml-file.ts`,
  'marks and notes': 'journal/notes.ts server/routes/note-routes.ts',
  'a sign-in of MCP servers': `tools/mcp/sign-in/ engine/sign-in/ cli/commands/sign-in.ts run/sign-in-secrets.ts
    cli/arguments/sign-in-commands.ts cli/lookup/sign-ins.ts`,
  'a team beside one agent': `agent-tests/alone.ts views/tests/share.ts views/tests/candidates.ts
    views/tests/compared.ts cli/render/candidates-text.ts`,
  'a fork with changes of its own': `engine/history/fork-changes.ts cli/commands/history/fork-changes.ts
    definition/read/edit-agent.ts`,
  'a run as a file': `engine/run-file/ cli/commands/history/export.ts cli/commands/history/verify.ts
    server/routes/export-routes.ts`,
  'a reply is rehearsed': 'models/ai-sdk/rehearsal.ts',
};

/** Lines and files of each, and of all others. `source` are the shapes of src. */
export function featureLines(source) {
  const inSource = source.map(({ path, lines }) => ({ path: path.slice('src/'.length), lines }));
  const rows = Object.entries(FEATURES).map(([name, paths]) =>
    rowOf(
      name,
      paths.split(/\s+/).flatMap((path) => filesAt(path, inSource)),
    ),
  );
  const all = rowOf('all source', inSource);
  const own = { name: 'files of these features alone', files: sum(rows, 'files'), lines: sum(rows, 'lines') };
  const rest = { name: 'the rest', files: all.files - own.files, lines: all.lines - own.lines };
  return [...rows, own, rest, all];
}

function filesAt(path, source) {
  const found = source.filter((file) => (path.endsWith('/') ? file.path.startsWith(path) : file.path === path));
  if (found.length === 0) throw new Error(`scripts/house/features.mjs names src/${path}, and there is no such file.`);
  return found;
}

const sum = (all, key) => all.reduce((total, one) => total + one[key], 0);
const rowOf = (name, files) => ({ name, files: files.length, lines: sum(files, 'lines') });
