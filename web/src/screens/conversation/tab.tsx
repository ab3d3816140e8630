// The tab Conversation of a run.

import type { RunTabProps } from '../run/tabs.ts';

export const ConversationTab = ({ data }: RunTabProps) => <div class="panel-body">{data.count.value} events</div>;
