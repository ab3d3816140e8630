// Runs Cadre as users do: a folder of agent files, the built package, the journal on. The scripted model is part of
// what is measured.

import { readFileSync } from 'node:fs';
import { library } from './built.mjs';
import { agentText, cadreFolder } from './cadre-folder.mjs';
import { ADD, add, HELPER, START, WORKLOADS } from './workloads.mjs';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

export const USAGE = 'usage: { input: 10, output: 5 }';

/** The work is the same call again and again: the guard against circles counts it, and does not end it. */
export const LATE_GUARD = 'stuck: { warn: 1000, stop: 1000 }';

export const workerFiles = (turns) => ({
  agents: {
    worker: agentText(
      `description: Adds numbers.\ntools: [${ADD.name}]\nmaxTurns: ${turns + 1}\n${LATE_GUARD}`,
      'You add numbers.',
    ),
  },
  script: `agents:
  worker:
${turns === 1 ? '' : `    - { call: { add: ${JSON.stringify(ADD.args)} }, repeat: ${turns - 1}, ${USAGE} }\n`}\
    - { answer: "The total is {{last}}", ${USAGE} }
`,
});

const bossFiles = {
  agents: {
    boss: agentText(`agents: [${HELPER.name}]`, 'You ask the helper.'),
    [HELPER.name]: agentText(`description: ${HELPER.description}`, 'You know about numbers.'),
  },
  script: `agents:
  boss:
    - { call: { agent__${HELPER.name}: { input: "${HELPER.question}", reason: "I must know." } }, ${USAGE} }
    - { when: { last: "/(?<number>\\\\d+)/" }, answer: "The helper says {{match.number}}", ${USAGE} }
  ${HELPER.name}:
    - { answer: "42", ${USAGE} }
`,
};

function chainFiles(agents) {
  const numbers = Array.from({ length: agents }, (_, index) => index + 1);
  const nextOf = (number) => (number < agents ? `\nnext: stage-${number + 1}` : '');
  const text = (number) => agentText(`description: Number ${number}.${nextOf(number)}`, `You are number ${number}.`);
  const steps = numbers.map((number) => `  stage-${number}:\n    - { answer: "{{input}}>${number}", ${USAGE} }\n`);
  return {
    agents: Object.fromEntries(numbers.map((number) => [`stage-${number}`, text(number)])),
    script: `agents:\n${steps.join('')}`,
  };
}

export const addingOf = ({ tool }) =>
  tool({ name: ADD.name, description: ADD.description, parameters: ADD.parameters, run: add });

async function runnerOf(lib, { agents, script }, store, agent, input) {
  const options = { tools: [addingOf(lib)], ...(store === 'memory' && { store }) };
  const cadre = await lib
    .loadCadre(cadreFolder(agents, script), options)
    .catch(() => lib.loadCadre(cadreFolder(unguarded(agents), script), options)); // an earlier build knows no such key
  /** The memory store would keep every run of the measurement, and the collector would visit all of them. */
  const release = ({ run }) => (store === 'memory' ? cadre.store.remove(run) : undefined);
  return async () => {
    const handle = await cadre.run(agent, input);
    const held = await handle.outcome();
    return { text: held.text, held, handle, models: () => modelCalls(handle), release: () => release(handle) };
  };
}

const unguarded = (agents) =>
  Object.fromEntries(Object.entries(agents).map(([name, text]) => [name, text.replace(`${LATE_GUARD}\n`, '')]));

/** Counts model calls in the journal, where each has a beginning. */
async function modelCalls(handle) {
  let count = 0;
  for await (const event of handle.events()) if (event.type === 'op-start' && event.op.kind === 'model') count += 1;
  return count;
}

export const cadreAdapter = async (store) => adapterOf(await library(), store);

/** Works with any build of the library. */
export function adapterOf(lib, store) {
  const work = (turns) => runnerOf(lib, workerFiles(turns), store, 'worker', WORKLOADS.W1.input);
  const delegate = () => runnerOf(lib, bossFiles, store, 'boss', HELPER.question);
  return {
    name: `Cadre, ${store} store`,
    version,
    w1: work,
    w2: delegate,
    async w3(count) {
      const delegation = await delegate();
      return async () => {
        const done = await Promise.all(Array.from({ length: count }, delegation));
        const { text } = done.find((one) => one.text !== done[0].text) ?? done[0];
        const counts = () => Promise.all(done.map((one) => one.models()));
        return {
          text,
          held: done.map(({ held }) => held),
          models: async () => (await counts()).reduce((sum, one) => sum + one, 0),
          release: () => Promise.all(done.map((one) => one.release())),
        };
      };
    },
    w4: (agents) => runnerOf(lib, chainFiles(agents), store, 'stage-1', START),
    w6: work,
  };
}
