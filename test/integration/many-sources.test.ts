import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EventLog } from '../../domain/ports/event-log.ts';
import { createSourceChecks } from '../../infra/postgresql/documents/source-checks.ts';
import { createProcessorStore } from '../../infra/postgresql/leases/processor-store.ts';
import { systemClock } from '../../infra/system/clock.ts';
import { sources } from '../../src/app/modules/sources.ts';
import type { Platform } from '../../src/app/platform.ts';
import type { Connectors } from '../../src/sources/added-sources.ts';
import { openFreshCivic, type TestCivic } from '../support/civic.ts';
import { UNREAD_DOCUMENTS } from '../support/unread-documents.ts';

const SOURCES = 200;
const DEADLINE_MS = 30_000;
let civic: TestCivic;

beforeAll(async () => {
  civic = await openFreshCivic();
});
afterAll(() => civic?.close());

test('200 sources that one process adds at once are added without a conflict', async () => {
  let appends = 0;
  const log: EventLog = {
    ...civic.log,
    append: (append) => {
      appends += 1;
      return civic.log.append(append);
    },
  };
  const { transactor } = civic.database;
  const stores = { processorStore: createProcessorStore(transactor), sourceChecks: createSourceChecks(transactor) };
  const platform = { ...civic, log, stores, settings: {}, leaseClock: systemClock } as unknown as Platform;
  const connectors = { legistar: { probe: async () => undefined } } as unknown as Connectors;
  const { addSource, addedSources } = sources(platform, connectors, UNREAD_DOCUMENTS);
  const add = (index: number) =>
    addSource(
      {
        source: 'legistar',
        client: `client-${index}`,
        jurisdiction: { slug: `place-${index}`, name: `Place ${index}`, timezone: 'America/Chicago' },
        isPublic: false,
      },
      DEADLINE_MS,
    );
  const handled = await Promise.all(Array.from({ length: SOURCES }, (_, index) => add(index)));
  expect(new Set(handled.map(({ kind }) => kind))).toEqual(new Set(['appended']));
  expect(await addedSources()).toHaveLength(SOURCES);
  expect(appends).toBe(SOURCES);
});
