/** The 16 counties of the region, by their bare slugs; a county's own jurisdiction slug adds `-county`. */
export const COUNTIES = [
  'collin',
  'dallas',
  'denton',
  'ellis',
  'erath',
  'hood',
  'hunt',
  'johnson',
  'kaufman',
  'navarro',
  'palo-pinto',
  'parker',
  'rockwall',
  'somervell',
  'tarrant',
  'wise',
] as const;
