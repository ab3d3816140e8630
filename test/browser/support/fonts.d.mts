export function fontScript(): string;
