// What a person sees first, where there are no runs: whom to ask, and what it takes.

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
