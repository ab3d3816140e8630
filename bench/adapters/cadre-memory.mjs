// Cadre with its memory store.

import { cadreAdapter } from '../cadre-adapter.mjs';

export const adapter = await cadreAdapter('memory');
