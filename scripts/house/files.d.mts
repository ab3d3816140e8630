export function filesBelow(folder: string): readonly string[];
export function isCode(path: string): boolean;
export function isTest(path: string): boolean;
export function isStyle(path: string): boolean;
export function textOf(path: string): string;
