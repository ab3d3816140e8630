// The price of a run of an agent, before it is started; or the reason why it cannot be.

import { useEffect, useState } from 'preact/hooks';
import type { AgentInfo, CadreInfo, RunList, RunRow } from '../../../../src/server/protocol.ts';
import { agentHref } from '../../app/addresses.ts';
import { getJson } from '../../data/api.ts';
import { Icon } from '../icon.tsx';
import { priceWords, sourceWords, type startRefusal } from './ask-words.ts';

interface PriceProps {
  readonly agent: AgentInfo;
  readonly cadre: CadreInfo;
  /** It cannot be started. */
  readonly refusal: ReturnType<typeof startRefusal>;
}

/** Unknown until the server has said what its last runs cost. */
export const Price = ({ agent, cadre, refusal }: PriceProps) => {
  const [rows, setRows] = useState<readonly RunRow[] | undefined>(undefined);
  useEffect(() => {
    const gone = new AbortController();
    setRows(undefined);
    getJson<RunList>(`/api/runs?limit=5&state=ended&agent=${encodeURIComponent(agent.name)}`, gone.signal)
      .then(({ items }) => setRows(items))
      .catch(() => undefined); // the bound is said all the same
    return () => gone.abort();
  }, [agent.name]);
  const source = sourceWords(agent, cadre);
  if (refusal !== undefined)
    return (
      <p class="err">
        <a class="link" href={agentHref(refusal.agent)}>
          {refusal.words}
        </a>
      </p>
    );
  return (
    <div class="small-text">
      <p class="state s-good">
        <Icon name="answered" />
        ready, {priceWords(agent, cadre, rows ?? [])}
      </p>
      {source !== undefined && <p class="faint">{source}</p>}
    </div>
  );
};
