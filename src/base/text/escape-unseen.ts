// Writes characters as escapes that a reader cannot see, or that turn or hide what stands beside them.

/** Control and format characters, unusual spaces, and characters that fonts leave out. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;

/** Line breaks and tabs are written as escapes, too. */
export const escapeUnseen = (text: string): string =>
  text.replace(UNSEEN, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16);
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
  });

/** Line breaks stay. */
export const escapeUnseenLines = (text: string): string => text.split('\n').map(escapeUnseen).join('\n');
