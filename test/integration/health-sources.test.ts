import { afterAll, beforeAll, expect, test } from 'vitest';
import { readSources } from '../../queries/feed/read-civic-health.ts';
import { councilOfDallas, pageRecord } from '../support/page-records.ts';
import { type ServedCivic, serveNewCivic } from '../support/served-civic.ts';

let served: ServedCivic;

beforeAll(async () => void (served = await serveNewCivic()));
afterAll(async () => served?.close());

test('health reports skipped rows, meetings without a start time, and the failure of a source', async () => {
  const records = councilOfDallas();
  const source = records.find(({ resource }) => resource === 'sources')!;
  const write = async (fields: object): Promise<void> => {
    const content = { ...(source as { readonly content: object }).content, ...fields };
    await served.civic.writer.write(
      [...records.filter((record) => record !== source), pageRecord('sources', 'source', content as never)],
      {},
    );
    await served.civic.caughtUp(await served.civic.log.head());
  };
  const health = async () =>
    (await readSources(served.civic.reads, served.clock)).filter(
      ({ jurisdictionSlug }) => jurisdictionSlug === 'dallas',
    );
  await write({ lastCheckSkipped: 3, lastCheckDegraded: 2 });
  expect(await health()).toMatchObject([{ status: 'healthy', lastCheckSkipped: 3, lastCheckDegraded: 2 }]);
  await write({ status: 'failing', lastCheckFailure: 'status 503' });
  expect(await health()).toMatchObject([{ status: 'failing', lastCheckFailure: 'status 503' }]);
  await write({});
  expect(Object.keys((await health())[0]!)).not.toEqual(
    expect.arrayContaining(['lastCheckSkipped', 'lastCheckDegraded', 'lastCheckFailure']),
  );
});
