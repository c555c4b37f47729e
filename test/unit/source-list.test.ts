import { describe, expect, test } from 'vitest';
import { sourceListDecider } from '../../commands/sources/source-list.ts';
import type { AddedSource, SourceListEvent } from '../../domain/events/source-events.ts';
import { Rejection } from '../../domain/rejections.ts';
import { requirePlace } from '../../src/sources/place.ts';

const NEW_YORK = { slug: 'new-york', name: 'New York', timezone: 'America/New_York' };
const added = (client: string, jurisdiction = NEW_YORK): AddedSource => ({
  source: 'legistar',
  client,
  jurisdiction,
  isPublic: false,
});
const ADDED: SourceListEvent = { type: 'SourceAdded', data: added('nyc') };
const REMOVED: SourceListEvent = { type: 'SourceRemoved', data: { source: 'legistar', client: 'nyc' } };
const after = (...events: SourceListEvent[]) =>
  events.reduce((sources, event) => sourceListDecider.evolve(sources, event), sourceListDecider.initialState());
const adding = (source: AddedSource, ...events: SourceListEvent[]) =>
  sourceListDecider.decide({ type: 'AddSource', added: source }, after(...events));
const removing = (...events: SourceListEvent[]) =>
  sourceListDecider.decide({ type: 'RemoveSource', removed: REMOVED.data }, after(...events));

describe('the list of sources', () => {
  test('takes a source once until it is removed', () => {
    expect(adding(added('nyc'))).toEqual([ADDED]);
    const refused = adding(added('nyc'), ADDED);
    expect(refused).toBeInstanceOf(Rejection);
    expect((refused as Rejection).message).toContain('legistar:nyc has already been added');
    expect(adding(added('nyc'), ADDED, REMOVED)).toEqual([ADDED]);
    expect(adding(added('nycschools'), ADDED)).toHaveLength(1);
  });

  test('refuses another name or time zone of a place that it has', () => {
    for (const other of [
      { ...NEW_YORK, name: 'NYC' },
      { ...NEW_YORK, timezone: 'America/Chicago' },
    ]) {
      const refused = adding(added('other', other), ADDED);
      expect((refused as Rejection).message).toContain('"New York" in America/New_York');
      expect(adding(added('other', other), ADDED, REMOVED)).toHaveLength(1);
    }
  });

  test('removes a source once, and remembers its settings', () => {
    expect(removing(ADDED)).toEqual([REMOVED]);
    expect(removing(ADDED, REMOVED)).toEqual([]);
    expect(removing()).toEqual([]);
    expect(after(ADDED, REMOVED).get('legistar:nyc')).toMatchObject({ isRemoved: true, jurisdiction: NEW_YORK });
  });
});

test('a place has the name and zone of the catalogue, and is not that of the sample', () => {
  expect(requirePlace(NEW_YORK)).toBe(NEW_YORK);
  const addison = { slug: 'addison', name: 'Addison', timezone: 'America/Chicago' };
  expect(requirePlace(addison)).toBe(addison);
  expect(() => requirePlace({ ...addison, name: 'Addison, Texas' })).toThrow('is "Addison" in America/Chicago');
  expect(() => requirePlace({ ...addison, timezone: 'America/New_York' })).toThrow('is "Addison" in America/Chicago');
  expect(() => requirePlace({ ...addison, slug: 'sample-city' })).toThrow('invented sample');
});
