/** Stored in every hit. Increase the number whenever the same records result in other hits. */
export const CLASSIFIER = 'topics-3';
/** Names of former rules. Their hits are computed again, and removed if the new rules find none. */
export const FORMER_NAMES: readonly string[] = [
  ...Array.from({ length: 9 }, (_, at) => `phrases-${at + 1}`),
  'topics-1',
  'topics-2',
];
