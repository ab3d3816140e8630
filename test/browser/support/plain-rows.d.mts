import type { Page } from 'playwright-core';

export function plainRows(page: Page, rows: number): Promise<number>;
