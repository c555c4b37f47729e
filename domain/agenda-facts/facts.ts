/** Words of an item that a fact was read from. `offset` counts UTF-16 code units from the beginning of the field. */
interface FactSource {
  readonly field: 'title' | 'text';
  readonly sourceText: string;
  readonly offset: number;
}

/**
 * - `total`: the amount that the item decides, or the price of a contract
 * - `not_to_exceed`: the highest amount that may be spent
 * - `revenue`: money that the government receives
 * - `change`: the amount that an increase or a change order adds
 * - `per_unit`: a price or a grant for each unit
 */
export type AmountRole = 'total' | 'not_to_exceed' | 'revenue' | 'change' | 'per_unit';
export interface AmountFact extends FactSource {
  readonly value: number;
  readonly currency: 'USD';
  readonly role: AmountRole;
  /** The unit in the words of the source, such as "for each new job"; null unless the role is `per_unit`. */
  readonly unit: string | null;
}

/**
 * - `vendor`: the other party of a contract, agreement, lease or purchase
 * - `applicant`: who requests a permit, license, zoning change, plat or other decision
 * - `grantee`: who receives a grant, donation or incentive
 * - `owner`: the owner of the property
 * - `opponent`: the other party of a lawsuit or claim
 */
export type PartyRole = 'vendor' | 'applicant' | 'grantee' | 'owner' | 'opponent';
export interface PartyFact extends FactSource {
  readonly name: string;
  readonly role: PartyRole;
}

export type PlaceKind =
  | 'street_address'
  | 'intersection'
  | 'road_segment'
  | 'parcel'
  | 'subdivision'
  | 'zoning_district'
  | 'facility'
  | 'area';
export interface PlaceFact extends FactSource {
  /** Name of a facility, subdivision or area; null for an address or an extent. */
  readonly name: string | null;
  readonly kind: PlaceKind;
  /** A `reference` only says where something else is: "within 300 feet of Example Road". */
  readonly use: 'affected' | 'reference';
}

export interface DistrictFact extends FactSource {
  /** Number or name of the district that elects a member of the body: "7", "A". */
  readonly district: string;
}

export interface CaseNumberFact extends FactSource {
  readonly value: string;
}

/** Facts in the title and text of an agenda item, in the order of the title and then the text. */
export interface AgendaFacts {
  readonly amounts: readonly AmountFact[];
  readonly parties: readonly PartyFact[];
  readonly places: readonly PlaceFact[];
  readonly districts: readonly DistrictFact[];
  readonly caseNumbers: readonly CaseNumberFact[];
}
