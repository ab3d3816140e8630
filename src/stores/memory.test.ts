import { cellsConformance } from '../journal/cells.conformance.ts';
import { signInsConformance } from '../journal/sign-ins.conformance.ts';
import { storeConformance } from '../journal/store.conformance.ts';
import { memoryStore } from './memory.ts';
import { memoryCells } from './memory-cells.ts';
import { spendingConformance } from './spending.conformance.ts';

storeConformance('the memory store', () => ({ store: memoryStore(), isInMemory: true, close() {} }));

spendingConformance('the memory store', () => ({ store: memoryStore(), close() {} }));

signInsConformance('sign-ins in memory', () => {
  const store = memoryStore();
  return { store, other: store, close() {} };
});

cellsConformance('cells in memory', () => {
  const cells = memoryCells();
  return { cells, others: cells, close() {} };
});
