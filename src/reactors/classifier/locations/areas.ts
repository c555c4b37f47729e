import { type FoundLocation, scan } from './location.ts';
import { scanNamed } from './named-places.ts';

const COUNCIL =
  /\b(?:City )?Council Districts? \d{1,2}(?:(?:, | and |, and )\d{1,2})*|(?<=^\(|[,(] ?)CDs? ?\d{1,2}(?:(?:, | and |, and | & )(?:CD ?)?\d{1,2})*(?=\)|;)|(?<=^\()ETJ[^()]{0,40}(?=\))/g;
const NAME = String.raw`(?:[A-Z][\p{L}\d'’./-]{0,40}|&|of|and)`;
const DISTRICT = new RegExp(
  String.raw`(?<![\p{L}\d])[A-Z][\p{L}\d'’./-]{0,40}(?: ${NAME}){0,7}? (?:Tax Increment Financing (?:\(“?"?TIF"?”?\) )?District|TIF District|Public Improvement District|Municipal Management District|Special Purpose District|Special Provision Sign District|Historic District|Neighborhood Empowerment Zone|Reinvestment Zone|Enterprise Zone|Sub-?[Dd]istrict|Neighborhood)(?: (?:No\. ?\d+[A-Z]?|Number [A-Z][a-z]+(?:-[A-Z]?[a-z]+)?|Area [A-Z][a-z]+|\d+[A-Z]?))?(?! (?:Act|Fund|Program|Board)\b)`,
  'gu',
);
const ZONE =
  /\b(?:Tax Increment )?Reinvestment Zone (?:No\. ?\d+[A-Z]?|Number [A-Z][a-z]+(?:-[A-Z]?[a-z]+)?)|\bNeighborhood Empowerment (?:Reinvestment )?Zone (?:Area [A-Z][a-z]+|No\. ?\d+[A-Z]?)\b/g;

export const areas = (text: string): FoundLocation[] => [
  ...scan(text, 'area', COUNCIL),
  ...scan(text, 'area', ZONE),
  ...scanNamed(text, 'area', DISTRICT),
];
