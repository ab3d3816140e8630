// The pure functions that the kernel is lent.

import { estimateTokenCount } from 'tokenx';
import type { Services } from '../kernel/session.ts';
import { schemaCheck } from '../tools/json-schema.ts';

export const services: Services = { check: schemaCheck, estimate: estimateTokenCount };
