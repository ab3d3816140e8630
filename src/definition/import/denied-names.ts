// The names that tools have in other programs, in lower case, by the right that they are of here. Only for what is taken
// away: whichever program an agent comes from, a denial by any of these names counts.

const NAMES: Readonly<Record<string, string>> = {
  files:
    'read glob grep ls list notebookread read_file read_files read_many_files read_multiple_files view view_file list_directory ' +
    'list_dir directory_tree tree search_file_content search_files search_files_content grep_search file_search search codebase ' +
    'readfile filesearch textsearch listdirectory analyze filesystem file files',
  'files:write':
    'edit write multiedit notebookedit patch apply_patch write_file edit_file replace create_file create_directory ' +
    'remove_directory delete_file move_file text_editor str_replace editfiles createfile createdirectory filesystem file',
  shell:
    'bash shell execute powershell run_shell_command run_command runcommands runinterminal run_in_terminal terminal ' +
    'external_directory background_jobs run_background_job script exec_command local_shell',
  web: 'webfetch web_fetch fetch web fetch_webpage',
  person: 'askuserquestion question ask_user user_prompt askquestions person',
  spawn:
    'task agent custom-agent subagent runsubagent transfer_task handoff delegate background_agents run_background_agent',
};

/** Names of tools that nothing here does: a denial of one takes nothing away. */
const OF_NOTHING: ReadonlySet<string> = new Set(
  (
    'websearch web_search google_web_search codesearch lsp doom_loop todowrite todoread todo todos tasks think memory save_memory ' +
    'taskcreate taskget tasklist taskupdate taskoutput taskstop teamcreate teamdelete sendmessage bashoutput killbash killshell ' +
    'enterplanmode exitplanmode skill slashcommand listmcpresourcestool readmcpresourcetool write_todos plan'
  ).split(' '),
);

const RIGHTS_BY_NAME: ReadonlyMap<string, ReadonlySet<string>> = byName();

function byName(): ReadonlyMap<string, ReadonlySet<string>> {
  const rights = new Map<string, Set<string>>();
  for (const [right, names] of Object.entries(NAMES)) {
    for (const name of names.split(' ')) rights.set(name, (rights.get(name) ?? new Set()).add(right));
  }
  return rights;
}

/** A denial of one of these is about a part of a right. All of the right is taken away, and the report says so. */
const OF_PARTS: ReadonlySet<string> = new Set([
  'external_directory',
  'background_jobs',
  'run_background_job',
  'script',
]);

export const isOfPart = (name: string): boolean => OF_PARTS.has(name.toLowerCase());

/** The rights that a name takes away. Undefined: nobody here knows it. */
export function rightsNamed(name: string): ReadonlySet<string> | undefined {
  const low = name.toLowerCase().replace(/^(?:vscode|execute|read|edit|search|web|agent)\//, '');
  return RIGHTS_BY_NAME.get(low) ?? (OF_NOTHING.has(low) ? new Set() : undefined);
}

/** The names that a right has elsewhere. */
export const namesOfRight = (right: string): readonly string[] => {
  const own = right.startsWith('agent:') ? 'spawn' : right;
  return Object.hasOwn(NAMES, own) ? NAMES[own]!.split(' ') : [];
};
