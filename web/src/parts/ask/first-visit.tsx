// The first visit of a person, when there are no runs: the agents to ask, and the price.

import { cadre } from '../../data/cadre.ts';
import { LoadingScreen } from '../loading.tsx';
import { AskAgent } from './ask-agent.tsx';

export const FirstVisit = () => {
  const now = cadre();
  if (now === undefined) return <LoadingScreen />;
  return (
    <div class="first-visit">
      <AskAgent cadre={now} isFirstVisit />
    </div>
  );
};
