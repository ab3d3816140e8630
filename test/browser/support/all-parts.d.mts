export function pageOfParts(): Promise<string>;
