import { afterAll, beforeAll, expect, test } from 'vitest';
import { recordOfStream } from '../../domain/streams.ts';
import { agendaSearch } from '../../projections/agenda-search/projection.ts';
import { createAgendaProjection } from '../../projections/agenda/projection.ts';
import { recordHistory } from '../../projections/record-history/projection.ts';
import { AGENDA_SEARCH } from '../../projections/agenda-search/tables.ts';
import { createGetAgendaItem } from '../../queries/agenda/get-agenda-item.ts';
import { createSearchAgenda } from '../../queries/search/search-agenda.ts';
import { createReadMeetingItems } from '../../queries/meetings/read-meeting-items.ts';
import { createReadMeetings } from '../../queries/meetings/read-meetings.ts';
import { agendaId, AgendaEvents } from '../support/agenda-events.ts';
import { at } from '../support/agenda-search.ts';
import { openFreshCivic, type TestCivic, untilTrue } from '../support/civic.ts';

let civic: TestCivic;

beforeAll(async () => {
  civic = await openFreshCivic();
});
afterAll(() => civic?.close());

/** Writes what the events state as a command would. */
async function write(events: ReturnType<AgendaEvents['place']>): Promise<void> {
  const changes = events.map(({ stream, data }) => {
    const { resource, recordId } = recordOfStream(stream);
    const {
      id: _id,
      createdAt: _createdAt,
      updatedAt: _updatedAt,
      ...content
    } = JSON.parse(data) as Record<string, unknown>;
    return { op: 'upsert' as const, resource, id: recordId, content };
  });
  const outcomes = await civic.writer.write(changes, {});
  expect(outcomes.filter((outcome) => 'rejection' in outcome)).toEqual([]);
}

test('a data directory with version 2 of the search is answered, then rebuilt, and finds what version 2 did not hold', async () => {
  const events = new AgendaEvents();
  await write([
    ...events.place('dallas'),
    events.meeting('m', 'dallas', at(0)),
    events.item('one', 'm', {
      title: 'Levy on “Short-Term Rentals” Z245-177',
      agendaNumber: '1',
      matterType: 'ORDINANCE',
      matterStatus: 'Held',
      matterFile: '26-0001',
      votes: { mover: 'Member A', seconder: null, tally: null, members: [] },
    }),
    events.item('two', 'm', { title: 'Rezoning', matterFile: '26-0001' }),
  ]);
  const projector = civic.startProjector([{ ...agendaSearch, version: 2 }, createAgendaProjection([]), recordHistory]);
  await civic.caughtUp(undefined, [agendaSearch.name, 'agenda', 'record_history']);
  await projector.stop();
  const { entries, items, meetings } = AGENDA_SEARCH.at(await civic.live(agendaSearch.name));
  // The rows that version 2 left.
  await civic.rows(
    `alter table ${items} drop column marks, drop column amount, drop column matter_status, drop column matter_key, drop column actions, drop column votes, drop column facts`,
  );
  await civic.rows(`alter table ${meetings} drop column start_time`);
  await civic.rows(
    `update ${entries} set words = to_tsvector('english', 'levy') where item_id = '${agendaId('agenda_items', 'one')}'`,
  );
  await civic.rows(`alter table ${entries} drop column matter, drop column forms, drop column amount`);
  const ask = createSearchAgenda({ reads: () => civic.reads, clock: civic.clock, timezone: 'America/Chicago' });
  const countResults = async (query: string) =>
    (await ask({ query, limit: 10 }, new AbortController().signal)).data.results.length;
  expect([await countResults('levy'), await countResults('Z 245 177')]).toEqual([1, 0]);
  const readItem = createGetAgendaItem({ reads: civic.reads, clock: civic.clock });
  const itemOf = () => readItem(agendaId('agenda_items', 'one'));
  expect(await itemOf()).toMatchObject({ agendaNumber: '1', matterType: 'ORDINANCE' });
  expect(await itemOf()).not.toHaveProperty('matterStatus');
  expect(await itemOf()).not.toHaveProperty('votes');
  expect(await itemOf()).not.toHaveProperty('caseNumbers');
  expect(await itemOf()).toMatchObject({ appearances: [], appearanceCount: 0 });
  const readMeetingItems = createReadMeetingItems(civic.reads);
  const onOthers = async () =>
    (await readMeetingItems(agendaId('meetings', 'm'), { offset: 0, limit: 10, around: 10 })).items.map(
      (item) => item.isOnOtherAgendas,
    );
  expect(await onOthers()).toEqual([false, false]);
  const timed = { bodyIds: [agendaId('public_bodies', 'dallas')], timezone: 'America/Chicago', limit: 20 };
  const readMeetings = () =>
    createReadMeetings({ reads: civic.reads, clock: civic.clock }).ofBodies({ ...timed, from: Date.parse(at(0)) });
  expect(await readMeetings()).toHaveLength(1);

  civic.startProjector([agendaSearch]);
  await untilTrue('the new version serves', async () =>
    (await civic.generations.list()).some(
      ({ projection, version, state }) =>
        projection === agendaSearch.name && version === agendaSearch.version && state === 'live',
    ),
  );
  for (const query of ['levy', 'Z 245 177', 'Airbnb', '1 January 2026'])
    expect([query, await countResults(query)]).toEqual([query, 1]);
  expect(await itemOf()).toMatchObject({ matterStatus: 'Held', votes: { mover: 'Member A' }, appearanceCount: 1 });
  expect(await itemOf()).toMatchObject({ caseNumbers: [{ value: 'Z245-177' }] });
  expect(await onOthers()).toEqual([true, true]);
});
