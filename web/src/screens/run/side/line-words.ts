// Sessions that do the same, in few words. Pure.

import { briefDoing, sessionName } from '../../../../../src/views/progress/doing-now.ts';
import type { SessionProgress } from '../../../../../src/views/progress/progress.ts';
import type { SessionGroup } from '../../../../../src/views/progress/session-counts.ts';

/** `writer writes`, `reporter × 8 at work`, `editor, desk wait`, `12 queued`. */
export function lineWords(sessions: readonly SessionProgress[], group: SessionGroup): string {
  const [first] = sessions;
  if (first === undefined) return '';
  if (sessions.length === 1) return `${sessionName(first)} ${briefDoing(first)}`;
  const word = group === 'waiting' ? 'wait' : group === 'asking' ? 'ask you' : group;
  const agents = [...new Set(sessions.map(({ agent }) => agent))];
  if (agents.length === 1) return `${first.agent} × ${sessions.length} ${word}`;
  return sessions.length <= 3 ? `${agents.join(', ')} ${word}` : `${sessions.length} ${word}`;
}
