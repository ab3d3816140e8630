// Lists the newest of 10,000 runs in the file store, as a new process does.

import { agentText, cadreFolder } from '../cadre-folder.mjs';

const RUNS = 10_000;
const AT_ONCE = 8;

/** Fills a store with runs of this build. The function that it returns opens the folder and lists the newest 20. */
export async function listOf({ loadCadre }) {
  const folder = cadreFolder(
    { greeter: agentText('description: Greets.', 'You greet.') },
    'agents:\n  greeter:\n    - { answer: "About {{input}}.", usage: { input: 10, output: 5 } }\n',
  );
  const cadre = await loadCadre(folder);
  let next = 0;
  const line = async () => {
    while (next < RUNS) await (await cadre.run('greeter', `Question ${next++}`)).outcome();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, line));
  await cadre.close();
  return async () => {
    const opened = await loadCadre(folder);
    const runs = await opened.store.list({ limit: 20 });
    await opened.close();
    if (runs.length !== 20) throw new Error(`${runs.length} runs were listed`);
  };
}
