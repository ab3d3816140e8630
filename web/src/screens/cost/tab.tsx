// The tab Cost of a run.

import type { RunTabProps } from '../run/tabs.ts';

export const CostTab = ({ data }: RunTabProps) => <div class="panel-body">{data.count.value} events</div>;
