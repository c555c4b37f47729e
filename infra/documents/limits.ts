/** Pages of a document that is read. */
export const MAX_PAGES = 5_000;
/** Characters of a document that is read. */
export const MAX_CHARACTERS = 10_000_000;
/** Bytes of an unpacked part of a document. */
export const MAX_UNPACKED = 50_000_000;
