import { type FoundLocation, scan } from './location.ts';

const LOT =
  /\b(?:Part of )?(?:Lots?|Tracts?) [A-Z0-9][\w-]{0,7}(?:(?:, | and | & |, and | through |-)[A-Z0-9][\w-]{0,7})*,? (?:in |of )?(?:City )?Block [A-Z]?[A-Z0-9]{1,5}(?:\/\d+)?(?:, [A-Z][\p{L}'’. ]{2,40}? Addition)?/gu;
const BLOCK = /\b(?:City |Dallas )?Blocks? \d{1,5}(?:\/\d{1,5})?\b/g;
const SURVEY = /\b(?:[A-Z][\p{L}\d.#'’&]{0,30},? ){1,6}Survey,? Abstract (?:No\. ?)?[A-Z]?-?\d{1,5}/gu;
const ABSTRACT = /\bAbstract (?:No\. ?)?[A-Z]?-?\d{1,5}/g;

export const parcels = (text: string): FoundLocation[] =>
  [LOT, SURVEY, BLOCK, ABSTRACT].flatMap((pattern) => scan(text, 'parcel', pattern));
