// The tab Journal of a run.

import type { RunTabProps } from '../run/tabs.ts';

export const JournalTab = ({ data }: RunTabProps) => <div class="panel-body">{data.count.value} events</div>;
