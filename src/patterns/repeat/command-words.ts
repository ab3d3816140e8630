// A command that judges, in words. It stands apart from the routines of the pattern, because the page shows it too.

/** On one line. */
export const commandWords = (command: string): string => `\`${command.replace(/\s+/g, ' ').trim()}\``;
