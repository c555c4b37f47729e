import type { FoundLocation } from './location.ts';
import { scanNamed } from './named-places.ts';

const NAMED = /\b(?:[A-Z][\p{L}\d'’.-]{1,30} ){1,5}(?:Addition|Subdivision|Estates)\b(?:,? (?:Phase|Section|No\.|Unit) [A-Z0-9]{1,4})?/gu;
const PLAT_OF =
  /\b[Pp]lat (?:of|for) (?:the )?(?<place>(?:[A-Z][\p{L}\d'’.-]{1,30} ?){1,5}(?:Addition|Subdivision|subdivision|Estates)?)/gu;

export const subdivisions = (text: string): FoundLocation[] => [
  ...scanNamed(text, 'subdivision', NAMED),
  ...scanNamed(text, 'subdivision', PLAT_OF),
];
