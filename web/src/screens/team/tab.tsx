// The tab Team of a run.

import type { RunTabProps } from '../run/tabs.ts';

export const TeamTab = ({ data }: RunTabProps) => <div class="panel-body">{data.count.value} events</div>;
