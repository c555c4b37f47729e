import { type FoundLocation, scan } from './location.ts';

/** One of these stands in the name of a use district, and none in "Medical District" or "Crime Control and Prevention District". */
const USE = String.raw`(?:Residential|Single|Family|Two-Family|One-Family|Duplex|Multifamily|Multiple|Townhouse|Retail|Commercial|Office|Industrial|Research|Manufacturing|Mixed|Use|Service|Parking|Agricultural|Agriculture|Mobile|Corridor|Walkable|Cluster|Center|Business|Urban)`;
const CAPITALIZED = String.raw`[A-Z][\p{L}/'’-]{0,30}`;
const CODE = String.raw`[A-Z]{1,6}(?:-[A-Z0-9.]{1,6}(?![\p{Ll}]))*(?:\([A-Z0-9.]{1,4}\))*(?:-[A-Z0-9]{1,5}(?![\p{Ll}]))*`;
/** "an R-5(A) Single Family Subdistrict", "a CR Community Retail District". */
const CODED = new RegExp(
  String.raw`(?<![\p{L}\d-])${CODE} (?:${CAPITALIZED} |\d+ ){0,3}?${USE} (?:${CAPITALIZED} |and |\d+ ){0,5}?(?:Sub)?[Dd]istrict\b(?: (?:with|No\.) [A-Z0-9][^,;]{0,60}?Overlay)?`,
  'gu',
);
const PLANNED =
  /\b(?:Planned Development|Conservation|Historic|PD) (?:(?:Sub)?[Dd]istrict )?No\. ?\d+[A-Z]?\b|\bPlanned Development (?:Sub)?[Dd]istrict \d+[A-Z]?\b|\bPD (?:No\. ?)?\d+\b/g;
const NUMBERED = /\b(?:Sub)?[Dd]istrict (?:No\. ?)?\d+[A-Z]?(?= within Planned Development District)/g;
/** `"UR" Urban Residential`, as zoning changes are written in quotes. */
const QUOTED = /["“][A-Z0-9/.-]{1,10}["”] [A-Z][\p{L}-]{1,30}(?: (?!To\b|From\b|Excluding\b|Plus\b)[A-Z][\p{L}-]{1,30}){0,4}/gu;

export const zoningDistricts = (text: string): FoundLocation[] => [
  ...scan(text, 'zoning_district', CODED),
  ...scan(text, 'zoning_district', PLANNED),
  ...scan(text, 'zoning_district', NUMBERED),
  ...scan(text, 'zoning_district', QUOTED),
];
