export function halfSentencesIn(text: string): readonly number[];
export function halfTitlesIn(text: string): readonly number[];
