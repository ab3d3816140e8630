// Cadre with its file store, as it is by default. The tool says `repeat: 'safe'`, because the peers make a call that was
// cut off again without being told so. After a kill: `cadre.resume`.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { library } from '../built.mjs';
import { LATE_GUARD } from '../cadre-adapter.mjs';
import { agentText } from '../cadre-folder.mjs';
import { ADD, HELPER } from '../workloads.mjs';
import { modelOf } from './model.mjs';
import { DURABLE, HOPS, partsOf, TURNS } from './parts.mjs';

const CALL = { name: `agent__${HELPER.name}`, args: { input: HELPER.question, reason: 'I must know.' } };

function filesOf(workload) {
  if (workload === 'W1')
    return { worker: [`tools: [${ADD.name}]\nmaxTurns: ${TURNS + 1}\n${LATE_GUARD}`, 'You add numbers.'] };
  if (workload === 'W2')
    return {
      boss: [`agents: [${HELPER.name}]`, 'You ask the helper.'],
      [HELPER.name]: [`description: ${HELPER.description}`, 'You know about numbers.'],
    };
  const next = (number) => (number < HOPS ? `\nnext: stage-${number + 1}` : '');
  const stages = Array.from({ length: HOPS }, (_, index) => index + 1);
  return Object.fromEntries(
    stages.map((one) => [`stage-${one}`, [`description: Number ${one}.${next(one)}`, `You are number ${one}.`]]),
  );
}

export const name = 'Cadre, file store';

export async function open(workload, { dir, made }) {
  mkdirSync(dir, { recursive: true });
  for (const [agent, [keys, body]] of Object.entries(filesOf(workload)))
    writeFileSync(join(dir, `${agent}.md`), agentText(`models: fake/${agent}\n${keys}`, body));
  const lib = await library();
  const parts = partsOf(made, CALL);
  const { name: toolName, description, parameters } = ADD;
  const cadre = await lib.loadCadre(dir, {
    tools: [lib.tool({ name: toolName, description, parameters, repeat: 'safe', run: parts.add })],
    providers: { fake: { languageModel: (agent) => modelOf(parts, agent, 'v3') } },
  });
  const { agent, input } = DURABLE[workload];
  const textOf = async (handle) => (await (await handle).outcome()).text;
  return {
    start: () => textOf(cadre.run(agent, input)),
    async resume() {
      const [last] = await cadre.store.list({ limit: 1 });
      if (last === undefined) return textOf(cadre.run(agent, input));
      if (last.state !== 'ended') return textOf(cadre.resume(last.run));
      return (await cadre.engine.outcome(last.run)).text;
    },
  };
}
