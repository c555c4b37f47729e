/**
 * Version of the rules for titles, times, outcomes, notices and kinds. Raise it when they change: each source is then read as a whole once, and
 * records of earlier rules are published again as ordinary changes.
 */
export const READING_VERSION = 5;
