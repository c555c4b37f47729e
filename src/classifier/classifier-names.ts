/** Stored in every hit; another number whenever the same records give other hits. */
export const PHRASE_CLASSIFIER = 'phrases-9';
/** Names of former rules: hits under them are computed again, and removed where there is none. */
export const FORMER_NAMES: readonly string[] = [
  'phrases-1',
  'phrases-2',
  'phrases-3',
  'phrases-4',
  'phrases-5',
  'phrases-6',
  'phrases-7',
  'phrases-8',
];
