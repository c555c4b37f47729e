import { expect, test } from 'vitest';
import type { SourceCheck } from '../../domain/ports/source-checks.ts';
import type { PublishedRecords } from '../../domain/ports/projection.ts';
import type { RecordData } from '../../domain/records/resources.ts';
import { type Connectors, stateOf, statesOf } from '../../src/sources/added-sources.ts';

const CHECKED = '2026-03-01T00:00:00.000Z';
const NOW = Date.parse(CHECKED) + 1_000;
const check = (id: string, facts: Partial<RecordData<'sources'>> = {}) =>
  ({
    id,
    active: true,
    status: 'healthy',
    lastCheckedAt: CHECKED,
    lastSuccessfulCheckAt: CHECKED,
    consecutiveFailures: 0,
    ...facts,
  }) as RecordData<'sources'>;

const added = {
  source: 'legistar',
  client: 'example',
  jurisdiction: { slug: 'example-city', name: 'Example City', timezone: 'America/Chicago' },
  isPublic: false,
  baseUrl: undefined,
};
const connectors = { legistar: { checks: async () => [check('of the added')] } } as unknown as Connectors;

function statesWith(others: readonly RecordData<'sources'>[], syncs: readonly SourceCheck[] = []) {
  const records = {
    current: async () => new Map(others.map((data) => [data.id, data])),
  } as unknown as PublishedRecords;
  const read = ['of the added', ...others.map(({ id }) => id)].map((sourceId) => ({
    sourceId,
    jurisdictionSlug: sourceId === 'of the added' ? 'example-city' : 'dallas',
    sourceType: 'legistar',
  }));
  return statesOf({ connectors, known: records, added: [added], syncs, read }, NOW);
}

test('a source that was only synced is listed without a client, its bodies together', async () => {
  const failing = check('b', { status: 'failing', consecutiveFailures: 2, lastCheckFailure: 'away' });
  expect(await statesWith([check('a'), failing])).toMatchObject([
    { source: 'legistar', client: 'example', jurisdiction: 'example-city', bodies: 1, status: 'healthy' },
    { source: 'legistar', client: null, jurisdiction: 'dallas', bodies: 2, status: 'failing', failure: 'away' },
  ]);
});

test('a source that was never checked, or is not active, is not listed', async () => {
  const states = await statesWith([check('a', { lastCheckedAt: null }), check('b', { active: false })]);
  expect(states.map(({ client }) => client)).toEqual(['example']);
});

const sync = (sourceKey: string, facts: Partial<SourceCheck> = {}): SourceCheck => ({
  sourceKey,
  sourceIds: [],
  checkedAt: NOW,
  failure: null,
  failures: 0,
  reasons: [],
  ...facts,
});
const reason = { effect: 'degraded' as const, reason: 'its agenda has no text layer', count: 3, example: 'event 7' };

test('a source states the reasons of its last sync, also one that was only synced', async () => {
  const syncs = [
    sync('legistar:example', { reasons: [reason] }),
    sync('legistar:other', { sourceIds: ['a', 'c'], reasons: [{ ...reason, count: 5 }] }),
    sync('legistar:third', { sourceIds: ['d'], reasons: [{ ...reason, count: 9 }] }),
  ];
  const states = await statesWith([check('a')], syncs);
  expect(states.map(({ reasons }) => reasons)).toEqual([[reason], [{ ...reason, count: 5 }]]);
});

test('a source whose first sync failed states why', async () => {
  const unread = { legistar: { checks: async () => [] } } as unknown as Connectors;
  const state = await stateOf(unread, {} as PublishedRecords, {
    added,
    now: NOW,
    sync: sync('legistar:example', { failure: 'refused by robots.txt: /', failures: 2 }),
  });
  expect(state).toMatchObject({
    status: 'failing',
    bodies: 0,
    consecutiveFailures: 2,
    failure: 'refused by robots.txt: /',
  });
  expect(await stateOf(unread, {} as PublishedRecords, { added, now: NOW })).toMatchObject({ status: 'not read yet' });
});
