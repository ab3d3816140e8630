// Folders of machinery: left out of listings and searches, and what holds no secrets can still be read by its path.

const machinery: ReadonlySet<string> = new Set(['node_modules', '__pycache__']);

/** Folders that a listing names but does not enter, and that a search leaves out. */
export const isSkippedFolder = (name: string): boolean => name.startsWith('.') || machinery.has(name.toLowerCase());
