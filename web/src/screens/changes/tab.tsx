// The tab Changes of a run.

import type { RunTabProps } from '../run/tabs.ts';

export const ChangesTab = ({ data }: RunTabProps) => <div class="panel-body">{data.count.value} events</div>;
