import type { ClassificationSubject } from '../../domain/ports/classifier.ts';
import { derivedId } from '../../domain/identifiers.ts';
import { RECORD_SCHEMAS, type RecordData, type Resource } from '../../domain/records/resources.ts';
import type { LabelledTitle } from './corpus.ts';

const TIMES = { createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' };
const ZONE = 'America/Chicago';
const PAGE = 'https://www.example.gov/meetings/1';

const recordOf = <R extends Resource>(resource: R, id: string, content: unknown): RecordData<R> =>
  ({ id, ...TIMES, ...RECORD_SCHEMAS[resource].parse(content) }) as unknown as RecordData<R>;

/** Returns a labelled title as an item of a scheduled meeting of its body, as the classifier receives it. */
export function subjectOfTitle(title: LabelledTitle): ClassificationSubject {
  const [jurisdictionId, publicBodyId, meetingId, itemId] = ['place', 'body', 'meeting', title.id].map((part) =>
    derivedId('labels', part),
  ) as [string, string, string, string];
  const bodyName = title.body === '' ? 'Council' : title.body;
  return {
    jurisdiction: recordOf('jurisdictions', jurisdictionId, {
      slug: 'example',
      name: title.jurisdiction,
      level: 'city',
      kind: 'city',
      countySlugs: [],
      timezone: ZONE,
      active: true,
    }),
    body: recordOf('public_bodies', publicBodyId, {
      jurisdictionId,
      slug: 'body',
      name: bodyName,
      bodyType: 'governing_body',
      actingBodyRole: 'final_decision_maker',
      timezone: ZONE,
      active: true,
    }),
    meeting: recordOf('meetings', meetingId, {
      publicBodyId,
      title: bodyName,
      startsAt: `${title.date}T18:00:00.000Z`,
      timezone: ZONE,
      status: 'scheduled',
      sourceUrl: PAGE,
    }),
    item: recordOf('agenda_items', itemId, {
      meetingId,
      sequence: 1,
      agendaNumber: title.number,
      title: title.title,
      text: title.text,
      matterType: title.matterType,
      sourceUrl: PAGE,
    }),
    today: title.date,
  };
}
