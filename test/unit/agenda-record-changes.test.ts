import { expect, test } from 'vitest';
import { AGENDA_RECORDS } from '../../projections/agenda/tables.ts';
import { collectRecordChanges } from '../../projections/record-changes.ts';
import { AgendaEvents, agendaId } from '../support/agenda-events.ts';
import { contentReader } from '../../domain/read-log.ts';

const events = new AgendaEvents();
const changesIn = (...batch: Parameters<typeof collectRecordChanges>[1]) =>
  collectRecordChanges(AGENDA_RECORDS, batch, contentReader());

test('the last event of a record determines its change, whatever events precede it', () => {
  const changes = changesIn(
    events.topic('a', { name: 'first' }),
    events.topic('b'),
    events.withdraw('topics', 'b'),
    events.topic('a', { name: 'last' }),
    events.withdraw('topics', 'c'),
    events.topic('c', { name: 'back' }),
  );
  expect(changes.get('topics')).toMatchObject({
    published: [{ id: agendaId('topics', 'a'), data: { name: 'last' } }, { data: { name: 'back' } }],
    withdrawn: [agendaId('topics', 'b')],
  });
  expect([...changes.keys()]).toEqual(['topics']);
});

test('records that the agenda does not use are not read', () => {
  const other = events.publish('documents', 'd', { kind: 'agenda', title: 'd', url: 'https://example.org/d' });
  expect(changesIn({ ...other, data: 'not even JSON' }).size).toBe(0);
});
