/** Number of other items of its matter that are shown with an item. */
export const MAX_APPEARANCES = 20;

/** Length of a file number in characters. */
const MAX_LENGTH = 200;

/**
 * Returns a file number for comparison, without case and white space: "Z 12" and "z12" are equal. Returns null for a
 * text without a digit, such as "None", and for one that is too long.
 */
export function matterKey(matterFile: string | null): string | null {
  const key = (matterFile ?? '')
    .slice(0, MAX_LENGTH + 1)
    .replace(/\s/g, '')
    .toUpperCase();
  return /\d/.test(key) && matterFile!.length <= MAX_LENGTH ? key : null;
}
