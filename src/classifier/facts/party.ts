const WORD = String.raw`(?:[A-Z0-9][\p{L}\p{N}.&'’/+-]*|&|\([A-Z]{2,5}\)|at|of|the|and|for|de|del)`;
const SUFFIX = String.raw`(?:Inc|LLC|L\.L\.C|LLP|L\.L\.P|LP|L\.P|Corp|Corporation|Company|Co|Ltd|PLLC|P\.C|PC|Limited Partnership)\b\.?`;
const COMPANY = new RegExp(String.raw`[A-Z0-9][\p{L}\p{N}.&'’/+-]*(?:,? ${WORD}){0,7}?,? ${SUFFIX}(?:,? ${SUFFIX})?`, 'u');

const APPLICATION = new RegExp(
  String.raw`\bapplication by (?:the )?([A-Z][^()]{2,80}?)(?=,? (?:an? |represented|for |to |\(|requesting|owner)|\(|,? [-–—] )`,
  'u',
);
const BY_OR_WITH = new RegExp(String.raw`\b(?:with|to|from|by|between the City and) (${COMPANY.source})`, 'u');
/** The applicants that stand before the address in "Applicant; 100 Example Street; (2 acres) From: …". */
const BEFORE_ADDRESS = /^(?:\([^)]*\)\s*)?([^;$]{3,120});\s*\d/;

export interface Party {
  readonly role: 'applicant' | 'party';
  readonly name: string;
}

const tidy = (name: string): string =>
  name
    .replace(
      /^.*\b(?:Authorize|Adopt|Approve|Resolution|Ordinance|Nominating|Execution|Contract|Agreement|Amendment|Purchase|Acquisition|Application|Supporting|Waiver|Fees)\b (?:of |with |a |an )*/,
      '',
    )
    .replace(/^(?:the |and |for |City )*(?:of [A-Z]\w+(?: Worth)?, )?(?:the |of )?/i, '')
    .replace(/^Boards? of [A-Z][a-z]+ of (?:the )?/, '')
    .replace(/[\s,;]+$/, '')
    .trim();

/** Who applies or contracts, in the text's own words: an applicant where the text says so, else the first company that it names. */
export function statedParty(text: string, matterType: string): Party | null {
  const applicant = APPLICATION.exec(text)?.[1] ?? (/\bzoning\b/i.test(matterType) ? BEFORE_ADDRESS.exec(text)?.[1] : undefined);
  if (applicant !== undefined) return { role: 'applicant', name: tidy(applicant) };
  const company = BY_OR_WITH.exec(text)?.[1] ?? COMPANY.exec(text)?.[0];
  return company === undefined ? null : { role: 'party', name: tidy(company) };
}
