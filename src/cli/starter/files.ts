// The files of a new folder: an agent that works with any model, what says which model, a script for the scripted one, and
// what git leaves out.

import type { StarterModel } from '../../engine/inspect/find-model.ts';

/** The files by name, in the order in which a reader should look at them. */
export const starterFiles = (chosen: StarterModel, projectFile?: string): Readonly<Record<string, string>> => ({
  'helper.md': agentWith(projectFile),
  'cadre.yaml': configFor(chosen),
  'demo.script.yaml': SCRIPT,
  '.gitignore': '.cadre/\n.env\n',
});

export const FIRST_COMMAND = 'run helper "What is in this folder?"';

const agentWith = (projectFile: string | undefined): string => `---
description: Answers questions about the files in this folder.
usage: Ask what you want to know about the files in this folder.
tools: [files]
${projectFile === undefined ? '' : `projectFiles: [${projectFile}]\n`}maxTurns: 8
---
You answer questions about the files in this folder. Look at what there is, read what the question needs, and answer briefly.
Name the files that your answer comes from.
`;

const SCRIPT = `# What the scripted model answers: offline, without a key, the same way every time. The files it names are real.
pace: { delay: 300ms, chunk: 12ms }
agents:
  helper:
    - say: Let me see what is here.
      call: { list_files: { path: "." } }
    - answer: |
        These files are here:

        {{last}}

        This answer was written by demo.script.yaml. To ask a real model, change \`models\` in cadre.yaml.
`;

const configFor = ({
  model,
  provider,
}: StarterModel): string => `# Which models the agents of this folder use. "cadre models" shows what is ready.
providers:
  demo: { kind: scripted, script: ./demo.script.yaml }   # answers from a file: offline, without a key
${provider === undefined ? '' : `  ${provider}\n`}defaults:
  models: ["${model}"]
# Others: anthropic/…, openai/…, google/…, openrouter/…, groq/…, mistral/…, deepseek/…, with their key in the environment
# or in .env; ollama/… for Ollama on this machine; demo/any for the script above.
`;
