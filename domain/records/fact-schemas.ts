import { z } from 'zod';
import { addedLater, atMostCharacters, orNull } from './fields.ts';

/** Facts of one kind that an item can have. */
export const MAX_FACTS = 20;
/** Characters of one text of a fact. */
export const MAX_FACT_TEXT = 300;

const words = atMostCharacters(z.string(), MAX_FACT_TEXT);

const quotation = {
  field: z.enum(['title', 'text']).describe('Field of the item that states the fact.'),
  offset: z.int().min(0).describe('Where `sourceText` begins in the field, in UTF-16 code units.'),
  sourceText: words.describe('The words that state the fact, verbatim.'),
};

const amount = z
  .strictObject({
    value: z.number().describe('The amount.'),
    currency: z
      .string()
      .regex(/^[A-Z]{3}$/)
      .describe('Currency, ISO 4217. The service reads amounts in `USD` only.'),
    role: z
      .enum(['total', 'not_to_exceed', 'revenue', 'change', 'per_unit'])
      .describe(
        'The price or the amount that the item decides, the highest amount that may be spent, money that the government receives, what an increase or a change order adds, or a price for each unit.',
      ),
    unit: orNull(words.describe('The unit in the words of the source; null unless the role is `per_unit`.')),
    ...quotation,
  })
  .meta({ id: 'ItemAmount' });

const party = z
  .strictObject({
    name: words.describe('Name.'),
    role: z
      .enum(['vendor', 'applicant', 'grantee', 'owner', 'opponent'])
      .describe(
        'The other party of a contract or purchase, who requests a decision, who receives a grant or an incentive, the owner of the property, or the other party of a lawsuit or claim.',
      ),
    ...quotation,
  })
  .meta({ id: 'ItemParty' });

const place = z
  .strictObject({
    kind: z
      .enum([
        'street_address',
        'intersection',
        'road_segment',
        'parcel',
        'subdivision',
        'zoning_district',
        'facility',
        'area',
      ])
      .meta({ id: 'LocationKind' })
      .describe('Kind.'),
    name: orNull(words.describe('Name of a facility, a subdivision or an area; null for an address or an extent.')),
    use: z
      .enum(['affected', 'reference'])
      .describe(
        'A place that the item is about, or one that only says where something is, such as a street within 300 feet.',
      ),
    ...quotation,
  })
  .meta({ id: 'ItemPlace' });

const district = z
  .strictObject({ district: words.describe('Number or name of the district.'), ...quotation })
  .meta({ id: 'ItemDistrict' });
const caseNumber = z
  .strictObject({ value: words.describe('The number of the case.'), ...quotation })
  .meta({ id: 'ItemCaseNumber' });

const factList = <Fact extends z.ZodType>(fact: Fact) => addedLater(z.array(fact).max(MAX_FACTS));

export const locationKind = place.shape.kind;

/** Facts of an agenda item. */
export const factLists = {
  amounts: factList(amount).describe(
    'Amounts of money that the item decides. Absent, like each list of facts, if the service read none, and in records of before the field.',
  ),
  parties: factList(party).describe('Companies, organizations and people that the item names in a role.'),
  places: factList(place).describe('Places that the item names. The home of a person is none.'),
  districts: factList(district).describe('Districts that elect members of the body.'),
  caseNumbers: factList(caseNumber).describe('Numbers of zoning cases, plats, appeals and lawsuits.'),
};

/** Facts as tools and pages show them: their words without the place in the title or text, whose markup is removed there. */
const PLACE_OF_WORDS = { field: true, offset: true } as const;
export const shownFacts = {
  amounts: z.array(amount.omit(PLACE_OF_WORDS)).optional().describe('Amounts of money that the item decides.'),
  parties: z.array(party.omit(PLACE_OF_WORDS)).optional().describe('Companies, organizations and people in a role.'),
  places: z.array(place.omit(PLACE_OF_WORDS)).optional().describe('Places that the item names.'),
  districts: z.array(district.omit(PLACE_OF_WORDS)).optional().describe('Districts that elect members of the body.'),
  caseNumbers: z.array(caseNumber.omit(PLACE_OF_WORDS)).optional().describe('Numbers of cases.'),
};
const WORDS = { ...PLACE_OF_WORDS, sourceText: true } as const;
/** The facts of an item in a list. */
export const listedFacts = {
  amounts: z.array(amount.omit(WORDS)).optional().describe('The first amounts of money that the item decides.'),
  parties: z.array(party.omit(WORDS)).optional().describe('The first companies, organizations and people in a role.'),
};

export const FACT_LISTS = ['amounts', 'parties', 'places', 'districts', 'caseNumbers'] as const;
