/** Maximum pages of a document. */
export const MAX_PAGES = 5_000;
/** Maximum characters of a document. */
export const MAX_CHARACTERS = 10_000_000;
/** Maximum bytes of an unpacked part of a document. */
export const MAX_UNPACKED = 50_000_000;
