// One run: its head and its tabs.

import type { Address, RunTab } from '../../app/addresses.ts';
import { useRun } from '../../data/runs-in-use.ts';
import { ChangesTab } from '../changes/tab.tsx';
import { ConversationTab } from '../conversation/tab.tsx';
import { CostTab } from '../cost/tab.tsx';
import { JournalTab } from '../journal/tab.tsx';
import { TeamTab } from '../team/tab.tsx';

export const RunScreen = (props: { readonly run: string; readonly tab: RunTab; readonly address: Address }) => {
  const data = useRun(props.run);
  const tab = { data, address: props.address };
  switch (props.tab) {
    case 'conversation':
      return <ConversationTab {...tab} />;
    case 'team':
      return <TeamTab {...tab} />;
    case 'cost':
      return <CostTab {...tab} />;
    case 'changes':
      return <ChangesTab {...tab} />;
    case 'journal':
      return <JournalTab {...tab} />;
    case 'timeline':
      return <div>{data.tree.value.agent}</div>;
  }
};
