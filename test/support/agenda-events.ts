import { RECORD_PUBLISHED, RECORD_WITHDRAWN } from '../../domain/events/record-events.ts';
import { canonicalJson } from '../../domain/digests.ts';
import { derivedId } from '../../domain/identifiers.ts';
import type { Position, StoredEvent } from '../../domain/ports/event-log.ts';
import { RECORD_SCHEMAS, type RecordContent, type Resource } from '../../domain/records/resources.ts';
import { recordStream } from '../../domain/streams.ts';

/** A record's id by a name that the test gives it. */
export const agendaId = (resource: Resource, name: string): string => derivedId('agenda test', resource, name);

const CREATED = '2026-01-01T00:00:00.000Z';

type Content<R extends Resource> = Partial<RecordContent<R>> & { readonly createdAt?: string };

/** Events of records by name, each record with its revisions in order, as the log would have them. */
export class AgendaEvents {
  readonly #revisions = new Map<string, number>();
  #position = 0;

  publish<R extends Resource>(resource: R, name: string, content: RecordContent<R>, createdAt = CREATED): StoredEvent {
    const data = {
      ...RECORD_SCHEMAS[resource].parse(content),
      id: agendaId(resource, name),
      createdAt,
      updatedAt: createdAt,
    };
    return this.#stored(resource, name, RECORD_PUBLISHED, canonicalJson(data));
  }

  withdraw(resource: Resource, name: string): StoredEvent {
    return this.#stored(resource, name, RECORD_WITHDRAWN, canonicalJson({ createdAt: CREATED, reason: null }));
  }

  forget(): void {
    this.#revisions.clear();
  }

  jurisdiction(name: string, { createdAt, ...content }: Content<'jurisdictions'> = {}): StoredEvent {
    const defaults: RecordContent<'jurisdictions'> = {
      slug: name,
      name: `City of ${name}`,
      level: 'city',
      kind: 'city',
      countySlugs: [],
      timezone: 'America/Chicago',
      active: true,
    };
    return this.publish('jurisdictions', name, { ...defaults, ...content }, createdAt);
  }

  /** The body `city-council` of the jurisdiction of that name, by default. */
  body(name: string, { createdAt, ...content }: Content<'public_bodies'> = {}): StoredEvent {
    const jurisdictionId = agendaId('jurisdictions', name);
    const defaults: RecordContent<'public_bodies'> = {
      jurisdictionId,
      slug: 'city-council',
      name: `Council of ${name}`,
      bodyType: 'governing_body',
      actingBodyRole: 'unknown',
      timezone: 'America/Chicago',
      active: true,
    };
    return this.publish('public_bodies', name, { ...defaults, ...content }, createdAt);
  }

  topic(name: string, { createdAt, ...content }: Content<'topics'> = {}): StoredEvent {
    const defaults: RecordContent<'topics'> = {
      slug: name,
      name,
      publicLabel: name,
      description: name,
      keywords: [],
      negativeKeywords: [],
      selectable: true,
      classificationActive: true,
      taxonomyManaged: false,
    };
    return this.publish('topics', name, { ...defaults, ...content }, createdAt);
  }

  /** A source of the body of that name, by default. */
  source(name: string, { createdAt, ...content }: Content<'sources'> = {}): StoredEvent {
    const defaults: RecordContent<'sources'> = {
      jurisdictionId: agendaId('jurisdictions', name),
      publicBodyId: agendaId('public_bodies', name),
      sourceType: 'legistar',
      sourceTypeLabel: 'Legistar',
      active: true,
      status: 'healthy',
      consecutiveFailures: 0,
    };
    return this.publish('sources', name, { ...defaults, ...content }, createdAt);
  }

  meeting(name: string, body: string, startsAt: string, content: Content<'meetings'> = {}): StoredEvent {
    const defaults: RecordContent<'meetings'> = {
      publicBodyId: agendaId('public_bodies', body),
      sourceId: agendaId('sources', body),
      title: name,
      startsAt,
      timezone: 'America/Chicago',
      status: 'scheduled',
      sourceUrl: `https://example.org/m/${name}`,
    };
    return this.publish('meetings', name, { ...defaults, ...content });
  }

  item(name: string, meeting: string, content: Content<'agenda_items'> = {}): StoredEvent {
    const defaults: RecordContent<'agenda_items'> = {
      meetingId: agendaId('meetings', meeting),
      sequence: 1,
      title: `Item ${name}`,
      sourceUrl: `https://example.org/i/${name}`,
    };
    return this.publish('agenda_items', name, { ...defaults, ...content });
  }

  hit(name: string, item: string, topic: string, content: Content<'agenda_hits'> = {}): StoredEvent {
    const defaults: RecordContent<'agenda_hits'> = {
      agendaItemId: agendaId('agenda_items', item),
      topicId: agendaId('topics', topic),
      summary: `Summary ${name}`,
      businessImpact: `Impact "${name}"`,
      evidenceQuote: `Quote ünïcode 𝔘 \n ${name}`,
      confidence: 70,
      affectedLocation: { status: 'stated', locations: [{ kind: 'area', sourceText: 'Downtown' }] },
      proceduralContext: { proceduralStage: 'notice', actingBodyRole: 'unknown', actionKind: 'unknown' },
      classifiedAt: '2026-01-01T00:00:00.000Z',
      classifier: 'test',
    };
    return this.publish('agenda_hits', name, { ...defaults, ...content });
  }

  /** A covered city with its council and a source. */
  place(name: string): readonly StoredEvent[] {
    return [this.jurisdiction(name), this.body(name), this.source(name)];
  }

  #stored(resource: Resource, name: string, type: string, data: string): StoredEvent {
    const stream = recordStream(resource, agendaId(resource, name));
    const revision = (this.#revisions.get(stream) ?? -1) + 1;
    this.#revisions.set(stream, revision);
    const position = String(++this.#position).padStart(20, '0') as Position;
    return {
      position,
      stream,
      revision,
      id: derivedId('agenda event', position),
      type,
      schemaVersion: 1,
      data,
      metadata: '{}',
      time: 0,
    };
  }
}
