import { expect, it } from 'vitest';
import { factsOf } from '../../domain/agenda-facts/agenda-facts.ts';

const districts = (title: string): string[] => factsOf({ title, text: null }).districts.map(({ district }) => district);
const cases = (title: string): string[] => factsOf({ title, text: null }).caseNumbers.map(({ value }) => value);

it.each([
  ['(CD 7 and CD 10) Sewers', ['7', '10']],
  ['Sewers in Council Districts 6, 8 & 9', ['6', '8', '9']],
  ['Replat in Precinct 3', ['3']],
  ['Appoint a member, Commissioner District No. 2', ['2']],
  ['A deputy of Constable Precinct 2', []],
  ['Zoned Subdistrict 5 in Historic District 3', []],
])('the districts of %s are %j', (title, expected) => {
  expect(districts(title)).toEqual(expected);
});

it.each([
  ['Rezoning of land (Case Z-2020-03)', ['Z-2020-03']],
  ['Appeal No. 2020-6: a fence', ['2020-6']],
  ['Application number C 230159 ZSK', ['C 230159 ZSK']],
  ['COA-0134-2025 (6 Sample St)', ['COA-0134-2025']],
  ['Settlement of Cause No. DC-23-05320 and DC-23-05320', ['DC-23-05320']],
  ['Contract No. AB-2023-0001 for mops', []],
  ['Custodial services, RFP-23-032', []],
  ['Case study of Section 51-4', []],
  ['Grants approved by RS2020-239, for BL2022-1061', []],
  ['Tests by EN12390-8', []],
  ['R2020-60 Adopt a plan under Executive Order N-29-20 and a Plan Grant (No. WR17-006)', []],
  ['Rezoning 7.282 acres', []],
])('the case numbers of %s are %j', (title, expected) => {
  expect(cases(title)).toEqual(expected);
});

it('every fact is a part of its field at its offset', () => {
  const item = {
    title: '(CD 3) Case Z-2020-03: contract with Sample Paving, Inc. at 12 Oak Lane for $5,000',
    text: 'Council District 4: permit for Sample Lofts, LLC (Case Z-2020-04) in Sample Park, up to $7.',
  };
  const { amounts, parties, places, districts, caseNumbers } = factsOf(item);
  const facts = [amounts, parties, places, districts, caseNumbers].flat();
  expect(facts).toHaveLength(10);
  for (const { field, offset, sourceText } of facts)
    expect(item[field].slice(offset, offset + sourceText.length)).toBe(sourceText);
});
