import { storeConformance } from '../store.conformance.ts';
import { memoryStore } from './memory.ts';

storeConformance('memory store', () => ({ store: memoryStore(), close: () => {} }));
