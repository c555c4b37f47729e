/** Thrown where a text is not the one that an erasure speaks of. */
export class CutMismatch extends Error {
  override readonly name = 'CutMismatch';
}

/** The lengths, in code points, of what stays of a text when each occurrence of `literal` goes; null where there is none. */
export const keepAround = (text: string, literal: string): readonly number[] | null => {
  const pieces = text.split(literal);
  return pieces.length === 1 ? null : pieces.map(lengthOf);
};

/** Erases a whole text. */
export const KEEP_NOTHING: readonly number[] = [0, 0];

const lengthOf = (text: string): number => {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
};

/** The pieces that stay, joined by what stands between them now. All gaps were of one length, at least one character. */
export const cutText = (text: string, keep: readonly number[], replacement: string): string => {
  const characters = Array.from(text);
  const gaps = keep.length - 1;
  const gap = (characters.length - keep.reduce((sum, length) => sum + length, 0)) / gaps;
  if (!Number.isInteger(gap) || gap < 1) throw new CutMismatch('the text is not as long as the erasure says');
  let at = 0;
  return keep
    .map((length) => {
      const piece = characters.slice(at, at + length).join('');
      at += length + gap;
      return piece;
    })
    .join(replacement);
};
