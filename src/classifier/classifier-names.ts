/** Stored in every hit. Increase the number whenever the same records result in other hits. */
export const CLASSIFIER = 'topics-3';
/** Names of former rules. Their hits are computed again, and removed if the new rules find none. */
export const FORMER_NAMES: readonly string[] = [
  'phrases-1',
  'phrases-2',
  'phrases-3',
  'phrases-4',
  'phrases-5',
  'phrases-6',
  'phrases-7',
  'phrases-8',
  'phrases-9',
  'topics-1',
  'topics-2',
];
