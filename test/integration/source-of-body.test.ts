import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RecordChange } from '../../commands/records/write-records.ts';
import type { RecordContent } from '../../domain/records/resources.ts';
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
