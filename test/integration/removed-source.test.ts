import { afterAll, beforeAll, expect, test } from 'vitest';
import { changeSourceList } from '../../commands/sources/source-list.ts';
import { RECORD_PUBLISHED, RECORD_WITHDRAWN } from '../../domain/events/record-events.ts';
import type { EventLog } from '../../domain/ports/event-log.ts';
import { recordStream } from '../../domain/streams.ts';
import { systemClock } from '../../infra/system/clock.ts';
import { createSourceChecks } from '../../infra/postgresql/documents/source-checks.ts';
import { createProcessorStore } from '../../infra/postgresql/leases/processor-store.ts';
import { sources } from '../../src/app/modules/sources.ts';
import type { Platform } from '../../src/app/platform.ts';
import type { Connectors } from '../../src/sources/added-sources.ts';
import type { Connector } from '../../src/sources/source.ts';
import { openFreshCivic, type TestCivic } from '../support/civic.ts';
import { upsert } from '../support/civic-records.ts';
import { UNREAD_DOCUMENTS } from '../support/unread-documents.ts';

const REF = { source: 'legistar', client: 'examplecity' };
const ADDED = {
  ...REF,
  jurisdiction: { slug: 'example-city', name: 'Example City', timezone: 'America/New_York' },
  isPublic: false,
  baseUrl: undefined,
};

let civic: TestCivic;

beforeAll(async () => {
  civic = await openFreshCivic();
  civic.startProjector();
});
afterAll(() => civic?.close());

test('a batch whose writer was suspended until its source was removed publishes nothing new and changes nothing', async () => {
  const change = (type: 'AddSource' | 'RemoveSource') =>
    changeSourceList(
      civic,
      type === 'AddSource' ? { type, added: ADDED } : { type, removed: REF },
      civic.clock.now() + 30_000,
    );
  const [existing, fresh] = [upsert('topics', 1, 1), upsert('topics', 2, 1)];
  let suspended: (() => Promise<void>) | undefined;
  const log: EventLog = {
    ...civic.log,
    appendEach: async (appends) => {
      const waited = suspended;
      suspended = undefined;
      await waited?.();
      return civic.log.appendEach(appends);
    },
  };
  let upserts: readonly ReturnType<typeof upsert>[] = [existing];
  const connector = {
    sync: async (_request, { writer }) => {
      await writer.write(upserts, {});
      return {
        client: REF.client,
        read: {},
        appended: 0,
        unchanged: 0,
        removed: 0,
        rejected: [],
        skipped: [],
        degraded: [],
        failedEvents: 0,
        failure: null,
        sourceIds: [],
        position: null,
      };
    },
  } as Pick<Connector, 'sync'>;
  const { transactor } = civic.database;
  const stores = { processorStore: createProcessorStore(transactor), sourceChecks: createSourceChecks(transactor) };
  const platform = { ...civic, log, stores, settings: {}, leaseClock: systemClock, owner: 'suspended', leaseMs: 2_000 };
  const connectors = { legistar: connector } as unknown as Connectors;
  const { syncSource } = sources(platform as unknown as Platform, connectors, UNREAD_DOCUMENTS);
  const sync = () => syncSource('legistar', { client: REF.client, options: {} });
  await change('AddSource');
  await sync();

  upserts = [upsert('topics', 1, 2), fresh];
  // The lease of a suspended process ends, so that another one removes the source and its record before the append.
  suspended = async () => {
    await change('RemoveSource');
    await civic.writer.write([{ op: 'remove', resource: 'topics', id: existing.id }], {});
  };
  await expect(sync()).rejects.toThrow('was removed from the added sources');
  const last = await civic.log.readLast([recordStream('topics', existing.id), recordStream('topics', fresh.id)]);
  expect([...last.values()].map(({ type, revision }) => [type, revision])).toEqual([
    [RECORD_WITHDRAWN, 1],
    [RECORD_WITHDRAWN, 1],
  ]);

  await change('AddSource');
  await sync();
  const again = await civic.log.readLast([recordStream('topics', fresh.id)]);
  expect([...again.values()].map(({ type }) => type)).toEqual([RECORD_PUBLISHED]);
});
