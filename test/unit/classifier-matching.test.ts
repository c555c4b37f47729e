import { describe, expect, it } from 'vitest';
import { classifyItem, hitId, topicClassifier } from '../../src/classifier/classify-item.ts';
import { compileTopics } from '../../src/classifier/keywords.ts';
import {
  KEYWORDS_ONLY,
  shippedTaxonomy,
  shippedTopics,
  subject,
  type SubjectParts,
  topicRecord,
} from '../support/classifier-subjects.ts';

const slugs = new Map(shippedTopics().map((topic) => [topic.id, topic.slug]));
const topicsOf = (title: string, parts: SubjectParts = {}): string[] =>
  classifyItem(subject(title, parts), shippedTaxonomy, KEYWORDS_ONLY)
    .map((hit) => slugs.get(hit.content.topicId) ?? '')
    .toSorted();

const rentals = topicRecord('rentals', {
  keywords: ['short-term rental', 'data center', 'plat'],
  negativeKeywords: ['short-term rental of tools', 'museum'],
});
const hits = (title: string, parts: SubjectParts = {}) => classifyItem(subject(title, parts), compileTopics([rentals]));

describe('a keyword', () => {
  it.each([
    'Ordinance on short-term rentals',
    'ORDINANCE ON SHORT TERM RENTALS IN ALL DISTRICTS',
    'Permit for a data centre or data\u00a0center',
    "The applicant's plat",
  ])('is found in "%s"', (title) => expect(hits(title)).toHaveLength(1));

  it.each([
    'Dinner plates for the council',
    'Platform of the station',
    'Report on data. Center of the city',
    'Short rental terms',
    'Sale of data (center) equipment',
  ])('is not found in "%s"', (title) => expect(hits(title)).toEqual([]));

  it('in the financing of an item makes no hit', () => {
    expect(hits('Purchase of chairs - Not to exceed $1.00 - Financing: Data Center Fund, plat account')).toEqual([]);
  });

  it('of digits is not found in a longer number', () => {
    const emergency = compileTopics([topicRecord('emergency', { keywords: ['911'], negativeKeywords: [] })]);
    expect(classifyItem(subject('Sale of 217,911 square feet'), emergency)).toEqual([]);
    expect(classifyItem(subject('Upgrade of 911 consoles'), emergency)).toHaveLength(1);
  });

  it('late in a long title makes a hit by itself only with several words', () => {
    const long = `Conditional permit for all uses but ${'a small shop, '.repeat(20)}`;
    expect(hits(`${long} a plat`)).toEqual([]);
    expect(hits(`${long} a data center`)).toHaveLength(1);
  });
});

describe('a negative keyword', () => {
  it('removes only the keyword match that it overlaps', () => {
    expect(hits('Short-term rental of tools')).toEqual([]);
    expect(hits('Short-term rental of tools and an ordinance on short-term rentals')).toHaveLength(1);
  });

  it('that overlaps no keyword takes 20 from the confidence', () => {
    expect(hits('Plat of the museum block')).toEqual([]);
    expect(
      hits('Plat of the museum block, with a data center and a short-term rental').map((hit) => hit.content.confidence),
    ).toEqual([70]);
  });
});

describe('confidence', () => {
  const confidence = (title: string, parts: SubjectParts = {}) =>
    hits(title, parts).map((hit) => hit.content.confidence);

  it('follows the rule in docs/developers/classification.md', () => {
    expect(confidence('Plat of two acres')).toEqual([65]);
    expect(confidence('Data center on two acres')).toEqual([80]);
    expect(confidence('Data center and data center')).toEqual([80]);
    expect(confidence('Data center, plat and short-term rental')).toEqual([90]);
    expect(confidence('Item of business', { item: { text: 'Data center on two acres' } })).toEqual([70]);
    expect(confidence('Data center, plat and short-term rental', { item: { matterType: 'Plat hearing' } })).toEqual([
      95,
    ]);
    expect(confidence('100 Example Street', { item: { matterType: 'Plat' } })).toEqual([70]);
    expect(confidence('100 Example Street', { item: { matterType: 'Plat of contracts' } })).toEqual([]);
  });
});

describe('topics', () => {
  it('do not come from the name of a hospital', () => {
    expect(topicsOf('Parkland Health & Hospital System - Mugs')).toEqual([]);
    expect(topicsOf('Parkland Hospital - Mugs; Parkland Memorial Hospital')).toEqual([]);
    expect(topicsOf('Use of parkland at Parkland Memorial Hospital')).toEqual(['city-property']);
  });

  it('that are not active for classification make no hit', () => {
    const inactive = { ...rentals, classificationActive: false };
    expect(classifyItem(subject('Data center'), compileTopics([inactive]))).toEqual([]);
  });

  it('in another order make the same hits', () => {
    const item = subject(
      'Contract with Example Paving, Inc. for street reconstruction and a water main at 100 Example Street',
    );
    const backwards = compileTopics(shippedTopics().toReversed());
    expect(classifyItem(item, backwards)).toEqual(classifyItem(item, shippedTaxonomy));
    expect(classifyItem(item, backwards).length).toBeGreaterThan(2);
  });

  it.each([
    [
      'A public hearing to receive comments regarding an application for and an ordinance granting an MF-2(A) Multifamily District on property zoned an R-5(A) Single Family District, on the north line of Example Street, west of Sample Avenue',
      ['zoning'],
    ],
    ['Final plat of Example Meadows Addition, Lots 1-20, Block A', ['development-plats']],
    ['Specific use permit for a data center at 200 Sample Road', ['data-centers', 'zoning']],
    ['Resolution of support for a 9% housing tax credit application for Example Flats', ['housing']],
    ['Ordinance regulating short-term rentals', ['short-term-rentals']],
    ['Authorize a ten-year tax abatement with Example Foods, LLC', ['economic-incentives']],
    [
      'Authorize a three-year service price agreement for brooms - Example Supply, Inc., lowest responsible bidder of two',
      ['procurement-contracts'],
    ],
    ['Speed limit on Example Boulevard', ['transportation']],
    ['Increase of wholesale water rates', ['water-utilities']],
    ['Acceptance of a gift of two ambulances', ['public-safety']],
    ['Adoption of the annual budget and of the tax rate', ['budget-taxes']],
    ['Amendment of the fee schedule for building permits', ['fees-permits']],
    ['Municipal setting designation for groundwater near Example Lake', ['environment']],
    ['Annexation of 12 acres in the extraterritorial jurisdiction', ['annexation']],
    ['Appointment of two members to the library board', ['boards-appointments']],
    ['An ordinance abandoning a portion of an alley to the abutting owner', ['city-property']],
    [
      'Authorize a two-year service price agreement for day labor with Example, Inc. through an interlocal agreement with the City of Sample',
      ['procurement-contracts'],
    ],
    ['Authorize the rejection of the four proposals received for brooms', ['procurement-contracts']],
    ['A report on proposals for brooms', []],
    ['Oversight - Bribery in Micro-Purchase Contracts', ['procurement-contracts']],
    ['Third Party Building Plan Review Program', ['development-plats']],
    ['Electronic plan review software', []],
    ['A local law on the length of shelter stay restrictions', ['housing']],
    ['A local law on animals and the length of their stay', []],
    ['A request to change the name of a portion of Example Road', ['transportation']],
    ['A request to change the name of the committee', []],
    ['An update of the Example Bike Plan', ['transportation']],
    ['A local law on the pay of drivers of for-hire vehicles', ['transportation']],
    ['A public shelter in a natural disaster', ['public-safety']],
    ['Mid-Year Litter Control Update - Jo Example, Environmental Services Director', ['environment']],
    ['Mid-Year Library Update - Jo Example, Environmental Services Director', []],
    ['Approve a Substantial Amendment of the use of federal money', ['budget-taxes']],
    ['Approve an amendment of the use of federal money', []],
    ['A letter amendment to the Lease between the city and a clinic', ['city-property']],
    ['The move of the Election Runoff to June', ['boards-appointments']],
    ['Authorize the rejection of four proposals for seeds', ['procurement-contracts']],
    ['A report on the rejection of four proposals of the committee', []],
    ['Direct the rejection of all bids for seeds', ['procurement-contracts']],
    ['A user agreement for the Sample Convention Center', ['city-property']],
    ['A guide for users of the Sample Convention Center', []],
    ['The joinder to the Sample Center use contract between an operator and a team', ['city-property']],
    ['The use of the Sample Center by a team', []],
    ['Execute a Forbearance and Loan Modification with Sample Hotel LP', ['economic-incentives']],
    ['Execute an amendment of the loan with Sample Hotel LP', []],
    [
      'Execute a one-year contract, with a one-year renewal option with Sample Corporation; for a total of three service contracts and one interlocal agreement',
      ['procurement-contracts'],
    ],
    ['Execute a five-year-contract from the Sample Commission', []],
    ['Authorize the appointment of an underwriting syndicate for the issuance of notes', ['budget-taxes']],
    ['Consulting agreements on design, environmental review analysis and art', ['procurement-contracts']],
  ])('of "%s" are %j', (title, topics) => expect(topicsOf(title)).toEqual(topics));
});

describe('a formality', () => {
  it.each([
    'CONSENT AGENDA',
    'ZONING CASES - CONSENT',
    'Page Break',
    'Public Hearings',
    'Invocation and Pledge of Allegiance',
    'Approval of Minutes of the January 6, 2026 Budget Workshop',
    'Minutes - January 6, 2026 Bond Program Workshop',
    'Executive Session: real property',
  ])('makes no hit: "%s"', (title) => expect(topicsOf(title)).toEqual([]));

  it.each([
    'Note: Agenda Item No. 3 must be considered before the zoning case.',
    'The City Council meeting will be held by videoconference. Individuals who wish to speak on zoning register online.',
    'Presentation of a Recognition for the Police Department',
  ])('that the models recognize makes no hit: "%s"', (title) => {
    expect(classifyItem(subject(title), shippedTaxonomy)).toEqual([]);
  });

  it.each(['Police Department', 'Water Utilities Department', 'Department of Housing', 'SHORT-TERM RENTALS'])(
    'is "%s" without a number or file, and an item with one',
    (title) => {
      expect(topicsOf(title, { item: { agendaNumber: null } })).toEqual([]);
      expect(isClassified(title)).toBe(title !== 'Department of Housing');
    },
  );

  it('does not include an item that may go into a closed session at its end', () => {
    const title =
      'Consideration of appointment to the Example Transit Board of Directors for Position 4 (Closed Session, if necessary, Sec. 551.074, T.O.M.A.)';
    expect(topicsOf(title)).toContain('boards-appointments');
  });

  const isClassified = (title: string): boolean => topicsOf(title).length > 0;
});

describe('a payment to several parties', () => {
  it('for services that go on is a contract beside its membership fees', () =>
    expect(
      topicsOf(
        'Authorize payment of (1) annual membership fees and continuation of arrangements for providing specialized municipal-related services to Sample Research, Inc.; and (2) Supplemental Agreement No. 1 with Sample Research, Inc.',
      ),
    ).toContain('procurement-contracts'));
});

describe('the shipped classifier', () => {
  it('gives a hit the id of its item and topic, so a second run gives the same hits', async () => {
    const classifier = topicClassifier();
    const topics = shippedTopics();
    const item = subject('Rezoning of 100 Example Street');
    const [hit, ...others] = await classifier.classify(item, topics);
    expect(others).toEqual([]);
    expect(hit?.id).toBe(hitId(item.item.id, hit?.content.topicId ?? ''));
    expect(hit?.content.classifier).toBe(classifier.name);
    expect(await classifier.classify(item, topics)).toEqual([hit]);
    expect(await topicClassifier().classify(item, topics)).toEqual([hit]);
  });

  it('drops the compiled topics together with the array of topics', async () => {
    const classifier = topicClassifier();
    const item = subject('Plat of two acres');
    expect(await classifier.classify(item, [rentals])).toHaveLength(1);
    expect(await classifier.classify(item, [{ ...rentals, keywords: ['orchard'] }])).toEqual([]);
  });
});
