import { type FoundLocation, scan } from './location.ts';
import { STREET } from './street-names.ts';

/** What such a word numbers is no house. */
const NUMBERED = String.raw`(?:Highway|Interstate|IH|SH|US|FM|Loop|Spur|No\.|Phase|Section|Chapter|District|Contract|Group|Package|Round|Part|Year)`;
const NUMBER = String.raw`(?<!\b${NUMBERED} )(?<![\d$.,#/-])\d{1,5}(?:[-–]\d{1,5})?(?: ?½| 1\/2)?`;
const UNIT = String.raw`(?:,? (?:Suites?|Ste\.?|Units?|Apt\.?|Building|Bldg\.?|#) ?(?:No\. )?[A-Z0-9-]{1,6})?`;
const SEVERAL = String.raw`(?:,? (?:and |& )?${NUMBER}){0,12}`;

const WITH_TYPE = new RegExp(
  String.raw`${NUMBER}${SEVERAL} (?!(?:blocks?|feet|foot|acres?|square|units?|percent|st|nd|rd|th)\b)${STREET}${UNIT}`,
  'gu',
);
/** "4000 - 4016 (evens) East Example Street", "7200-7500 blocks (odds) Example Drive". */
const RANGE = new RegExp(
  String.raw`\d{1,5}(?: ?[-–] ?\d{1,5})? (?:[Bb]locks? )?\((?:odds?|evens?)[^()]{0,20}\)(?: [Bb]locks? of)? ${STREET}`,
  'gu',
);
/** "located at 7800 Stemmons", "at 350 West Belknap": the number after "at" says that a street follows. */
const WITHOUT_TYPE =
  /\b(?:(?:[Ll]ocated|[Ss]ituated|[Pp]roperty|[Pp]remises|[Oo]ffice|[Ss]ite)(?: [a-z]+)? at|(?:addressed|known|identified) as) (?:approximately )?(?<place>\d{2,5} (?:[NSEW]\.? |North |South |East |West )?[A-Z][\p{L}'’.-]+(?: [A-Z][\p{L}'’-]+){0,2})/gu;

export const streetAddresses = (text: string): FoundLocation[] => [
  ...scan(text, 'street_address', RANGE),
  ...scan(text, 'street_address', WITH_TYPE),
  ...scan(text, 'street_address', WITHOUT_TYPE),
];
