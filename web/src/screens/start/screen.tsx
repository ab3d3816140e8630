// Starts an agent with an input.

import { useState } from 'preact/hooks';
import type { StartedRun } from '../../../../src/server/protocol.ts';
import type { Address } from '../../app/addresses.ts';
import { runHref } from '../../app/addresses.ts';
import { go } from '../../app/router.ts';
import { postJson, problemOf } from '../../data/api.ts';
import { Button } from '../../parts/controls.tsx';

export const StartScreen = ({ agent, address }: { readonly agent: string; readonly address: Address }) => {
  const [input, setInput] = useState(address.query['input'] ?? '');
  const [why, setWhy] = useState<string | undefined>(undefined);
  const start = async (): Promise<void> => {
    try {
      const { run } = await postJson<StartedRun>('/api/runs', { agent, input });
      go(runHref(run));
    } catch (thrown) {
      setWhy(problemOf(thrown).message);
    }
  };
  return (
    <div class="panel-body">
      <h1>Start {agent}</h1>
      <label>
        What is asked
        <textarea class="input" value={input} onInput={(event) => setInput(event.currentTarget.value)} />
      </label>
      {why !== undefined && <p class="err">{why}</p>}
      <Button kind="main" icon="play" onPress={() => void start()}>
        Start
      </Button>
    </div>
  );
};
