import { afterAll, beforeAll, expect, test } from 'vitest';
import { AGENDA } from '../../projections/agenda/tables.ts';
import { createReadNextHits } from '../../queries/agenda/agenda-hits.ts';
import { openTestAgenda, type TestAgenda } from '../support/agenda.ts';
import { DAY_MS, TEST_TIME } from '../support/civic.ts';

let agenda: TestAgenda;

beforeAll(async () => {
  agenda = await openTestAgenda();
});
afterAll(async () => agenda?.close());

test('version 2 of the agenda, without the end of a meeting and its time zone, is read while version 3 is built', async () => {
  const { events, fold, database, generation } = agenda;
  const startsAt = new Date(TEST_TIME + DAY_MS).toISOString();
  await fold([
    ...events.place('dallas'),
    events.topic('zoning'),
    events.meeting('next', 'dallas', startsAt),
    events.item('item', 'next'),
    events.hit('hit', 'item', 'zoning', { classifiedAt: new Date(TEST_TIME).toISOString() }),
  ]);
  const { hits, meetings } = AGENDA.at(generation);
  await database.transactor.transaction(async (transaction) => {
    await transaction.query({
      text: `alter table ${hits} drop column upcoming_until, drop column timezone`,
      values: [],
    });
    await transaction.query({
      text: `alter table ${meetings} drop column upcoming_until, drop column timezone`,
      values: [],
    });
  });
  const next = createReadNextHits({ reads: agenda.reads, clock: agenda.clock });
  expect(await next(2)).toMatchObject([{ timezone: 'America/Chicago' }]);
  const [hit] = (await agenda.upcoming('zoning', { count: true })).data.hits;
  expect(hit).toMatchObject({ meetingAt: startsAt });
  expect(await agenda.detail(hit!.matchId)).toEqual(hit);
  expect(await agenda.recent()).toHaveLength(1);
  expect(await agenda.cadence({ slug: 'dallas', bodySlug: 'city-council' })).toMatchObject({
    nextScheduledAt: startsAt,
  });
  agenda.clock.time = TEST_TIME + DAY_MS + 1;
  expect((await agenda.upcoming('zoning', { count: true })).data).toMatchObject({ totalCount: 0, hits: [] });
});
