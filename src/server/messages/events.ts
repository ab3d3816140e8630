// One event of a run. docs/reference/events.md describes all of them.

import type { RunEvent } from '../../journal/event.ts';
import { declaredAs, message } from './schema.ts';

export const EventShown = message('RunEvent', declaredAs<RunEvent>());
