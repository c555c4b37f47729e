/** Control characters, line ends, and characters that reverse or hide text: untrusted text must not control the terminal or fake lines. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** Returns the text on one line, with every invisible character escaped. */
export function visible(text: string): string {
  return text.replaceAll(INVISIBLE, (character) => {
    if (character === '\n') return '\\n';
    const code = character.codePointAt(0)!.toString(16);
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
  });
}
