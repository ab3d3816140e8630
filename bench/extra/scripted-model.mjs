// The scripted model's own share of what is measured: one reply of W1, without a run around it.

import { performance } from 'node:perf_hooks';
import { testing } from '../built.mjs';
import { workerFiles } from '../cadre-adapter.mjs';
import { figure } from '../statistics.mjs';

export async function measure(quick) {
  const { loadScript, scripted } = await testing();
  const model = scripted(loadScript(workerFiles(10).script, 'fake.script.yaml'), 'fake');
  const request = {
    session: '0',
    agent: 'worker',
    turn: 1,
    model: 'model',
    system: 'You add numbers.',
    tools: [],
    settings: {},
    messages: [{ role: 'user', text: '42' }],
  };
  const { signal } = new AbortController();
  const times = quick ? 20_000 : 200_000;
  let last;
  const begin = performance.now();
  for (let count = 0; count < times; count++) {
    for await (const event of model.stream(request, { signal })) last = event;
  }
  const each = ((performance.now() - begin) * 1000) / times;
  if (last.message?.calls.length !== 1) throw new Error(JSON.stringify(last));
  return [['the scripted model itself, one reply with a call', `${figure(each)} µs`]];
}
