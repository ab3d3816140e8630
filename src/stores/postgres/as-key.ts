/** A word that people or models gave, for a column: as JSON, because a column holds no NUL. */
export const asKey = (word: string | undefined): string | null => (word === undefined ? null : JSON.stringify(word));
