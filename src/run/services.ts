// The pure functions that are passed to the kernel.

import { estimateTokenCount } from 'tokenx';
import type { Services } from '../kernel/session/session-spec.ts';
import { schemaCheck } from '../tools/json-schema.ts';

export const services: Services = { check: schemaCheck, estimate: estimateTokenCount };
