import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RecordChange } from '../../commands/records/write-records.ts';
import type { RecordContent } from '../../domain/records/resources.ts';
import { createListCoveredSources } from '../../queries/coverage/list-public-source-statuses.ts';
import { createReadPlace } from '../../queries/meetings/read-place.ts';
import { upsert } from '../../src/sources/source.ts';
import { councilOfDallas, pageRecordId } from '../support/page-records.ts';
import { type ServedCivic, serveNewCivic } from '../support/served-civic.ts';

let served: ServedCivic;
beforeAll(async () => void (served = await serveNewCivic()));
afterAll(async () => served?.close());

/** Ids before and after that of every other source. */
const [FIRST, LAST] = ['00000000-0000-4000-8000-000000000000', 'ffffffff-ffff-4fff-bfff-ffffffffffff'];
const ofCouncil = (id: string, fields: Pick<RecordContent<'sources'>, 'active' | 'sourceTypeLabel'>): RecordChange =>
  upsert('sources', id, {
    jurisdictionId: pageRecordId('jurisdictions', 'dallas'),
    publicBodyId: pageRecordId('public_bodies', 'council'),
    sourceType: 'other',
    status: 'healthy',
    consecutiveFailures: 0,
    ...fields,
  });

test('the source of a body is an active one before one that is not', async () => {
  const label = async (...changes: readonly RecordChange[]) => {
    await served.civic.writer.write(changes, {});
    await served.civic.caughtUp(await served.civic.log.head());
    const place = await createReadPlace({ reads: served.civic.reads, clock: served.clock })('dallas');
    return place?.bodies.map(({ source }) => source.label);
  };
  expect(await label(...councilOfDallas())).toEqual(['Legistar of Dallas']);
  const former = { active: false, sourceTypeLabel: 'A former portal' };
  expect(await label(ofCouncil(FIRST, former), ofCouncil(LAST, former))).toEqual(['Legistar of Dallas']);
  expect(await label(ofCouncil(FIRST, { active: true, sourceTypeLabel: 'A new portal' }))).toEqual(['A new portal']);
});

test('a source without address and check gives way to one of its body that was read, until that one is removed', async () => {
  const [placeholder, read] = ['11111111-0000-4000-8000-000000000000', 'eeeeeeee-0000-4000-8000-000000000000'];
  const court = pageRecordId('public_bodies', 'court');
  const county = pageRecordId('jurisdictions', 'ellis-county');
  const ofCourt = (id: string, fields: Partial<RecordContent<'sources'>>): RecordChange =>
    upsert('sources', id, {
      jurisdictionId: county,
      publicBodyId: court,
      sourceType: 'other',
      sourceTypeLabel: 'Not yet determined',
      active: true,
      status: 'unknown',
      consecutiveFailures: 0,
      ...fields,
    });
  const labels = async (...changes: readonly RecordChange[]) => {
    await served.civic.writer.write(changes, {});
    await served.civic.caughtUp(await served.civic.log.head());
    const { reads } = served.civic;
    const listed = await createListCoveredSources({ reads, clock: served.clock })({}, { alsoRead: true });
    const place = await createReadPlace({ reads, clock: served.clock })('ellis-county');
    return [
      listed
        .filter(({ jurisdictionSlug }) => jurisdictionSlug === 'ellis-county')
        .map(({ status }) => status.sourceTypeLabel),
      place?.bodies[0]?.source.label,
    ];
  };
  const place = upsert('jurisdictions', county, {
    slug: 'ellis-county',
    name: 'Ellis County',
    level: 'county',
    kind: 'county',
    countySlugs: ['ellis'],
    timezone: 'America/Chicago',
    active: true,
  });
  const body = upsert('public_bodies', court, {
    jurisdictionId: county,
    slug: 'commissioners-court',
    name: 'Commissioners Court',
    bodyType: 'governing_body',
    actingBodyRole: 'final_decision_maker',
    timezone: 'America/Chicago',
    active: true,
  });
  expect(await labels(place, body, ofCourt(placeholder, {}))).toEqual([['Not yet determined'], 'Not yet determined']);
  const checked = {
    sourceTypeLabel: 'AgendaCenter',
    status: 'healthy',
    lastSuccessfulCheckAt: '2026-11-01T00:00:00Z',
  } as const;
  expect(await labels(ofCourt(read, checked))).toEqual([['AgendaCenter'], 'AgendaCenter']);
  expect(await labels({ op: 'remove', resource: 'sources', id: read, reason: 'a test' })).toEqual([
    ['Not yet determined'],
    'Not yet determined',
  ]);
});
