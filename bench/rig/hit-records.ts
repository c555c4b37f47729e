import { writeFileSync } from 'node:fs';
import { catalogueBodyId } from '../../src/sources/catalogue/catalogue-records.ts';
import { SHIPPED_TOPICS, taxonomyTopicId } from '../../src/sources/taxonomy/taxonomy-records.ts';
import { uuidOf } from './records.ts';

/** The topics that every item of the agenda has a hit of. */
export const HIT_TOPICS = SHIPPED_TOPICS.slice(0, 4).map(({ slug }) => ({ slug, id: taxonomyTopicId(slug) }));

const ITEMS_A_MEETING = 10;
const FIRST_MEETING = Date.UTC(2090, 0, 1);
const FIRST_CLASSIFIED = Date.UTC(2025, 0, 1);
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const formatTime = (time: number): string => new Date(time).toISOString();

const meeting = (index: number) => ({
  publicBodyId: catalogueBodyId('dallas', 'city-council'),
  title: `Session ${index}`,
  startsAt: formatTime(FIRST_MEETING + index * HOUR_MS),
  timezone: 'America/Chicago',
  status: 'scheduled',
  sourceUrl: `https://records.example.org/city/agendas/${index}`,
});

/** Says nothing that the service's own classifier would find a topic in. */
const item = (index: number) => ({
  meetingId: uuidOf('hit meeting', Math.floor(index / ITEMS_A_MEETING)),
  sequence: index % ITEMS_A_MEETING,
  title: `Entry ${index}`,
  sourceUrl: `https://records.example.org/city/items/${index}`,
});

const hit = (index: number, topic: number) => ({
  agendaItemId: uuidOf('hit item', index),
  topicId: HIT_TOPICS[topic]!.id,
  summary: `The council hears entry ${index} and may act on the request after the public has spoken and staff has given its report.`,
  businessImpact:
    'Owners and tenants nearby may see other uses, more traffic and new duties to build and maintain what the plan asks for.',
  evidenceQuote: `Entry ${index}: hold a hearing to consider the request of the owner with the conditions that staff recommends`,
  confidence: 50 + (index % 50),
  affectedLocation: {
    status: 'stated',
    locations: [{ kind: 'street_address', sourceText: `${100 + index} Example Street` }],
  },
  proceduralContext: {
    proceduralStage: 'public_hearing',
    actingBodyRole: 'final_decision_maker',
    actionKind: 'meeting',
  },
  classifiedAt: formatTime(FIRST_CLASSIFIED + index * MINUTE_MS),
  classifier: 'bench',
});

/** Writes meetings of a covered body in the far future, their items and so many hits on them as NDJSON; returns the number of lines. */
export function writeHitsFile(path: string, hits: number): number {
  const lines: string[] = [];
  const add = (resource: string, id: string, data: object) =>
    lines.push(JSON.stringify({ op: 'upsert', resource, id, data }));
  for (let index = 0; index < hits / HIT_TOPICS.length; index++) {
    if (index % ITEMS_A_MEETING === 0) {
      const number = index / ITEMS_A_MEETING;
      add('meetings', uuidOf('hit meeting', number), meeting(number));
    }
    add('agenda_items', uuidOf('hit item', index), item(index));
    for (const topic of HIT_TOPICS.keys())
      add('agenda_hits', uuidOf('hit', index * HIT_TOPICS.length + topic), hit(index, topic));
  }
  writeFileSync(path, `${lines.join('\n')}\n`);
  return lines.length;
}
