export function fetchedElsewhere(file: string, text: string): readonly string[];
