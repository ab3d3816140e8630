// Cadre with its file store.

import { cadreAdapter } from '../cadre-adapter.mjs';

export const adapter = await cadreAdapter('file');
