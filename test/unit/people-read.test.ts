import { describe, expect, it } from 'vitest';
import { peopleOfReadSources } from '../../src/app/modules/coverage.ts';
import { countPeopleRead } from '../../src/sources/catalogue/people.ts';

const NONE = { placesRead: 0, peopleRead: 0 };
const source = (jurisdictionSlug: string, lastSuccessfulCheckAt: string | null) =>
  ({ jurisdictionSlug, status: { lastSuccessfulCheckAt } }) as Parameters<typeof peopleOfReadSources>[0][number];

describe('the number of people where agendas are read', () => {
  it('is counted for municipalities and for counties apart', () => {
    expect(countPeopleRead(new Set(['dallas', 'addison', 'ellis-county']))).toEqual({
      municipalities: {
        placesRead: 2,
        places: 238,
        peopleRead: 1_343_573 + 16_263,
        people: 7_089_434,
        years: [2019, 2020],
      },
      counties: { placesRead: 1, places: 16, peopleRead: 179_436, people: 7_660_597, years: [2018] },
    });
  });

  it('includes neither places beyond the catalogue nor inactive ones, and an unknown population counts as none', () => {
    const { municipalities, counties } = countPeopleRead(new Set(['seattle', 'mustang', 'dennis']));
    expect(municipalities).toMatchObject({ placesRead: 1, peopleRead: 0 });
    expect(counties).toMatchObject(NONE);
  });

  it('includes a place once however many sources it has, and none whose sources were never read', () => {
    const at = '2026-11-01T00:00:00.000Z';
    const { municipalities, counties } = peopleOfReadSources([
      source('addison', at),
      source('addison', at),
      source('dallas', null),
      source('ellis-county', null),
    ]);
    expect(municipalities).toMatchObject({ placesRead: 1, peopleRead: 16_263 });
    expect(counties).toMatchObject(NONE);
  });
});
