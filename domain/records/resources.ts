import type { z } from 'zod';
import * as schemas from './schemas.ts';

/** The eleven civic resources, in the order in which they are listed everywhere. */
export const RECORD_SCHEMAS = {
  jurisdictions: schemas.jurisdiction,
  public_bodies: schemas.publicBody,
  sources: schemas.source,
  topics: schemas.topic,
  meetings: schemas.meeting,
  agendas: schemas.agenda,
  agenda_items: schemas.agendaItem,
  agenda_hits: schemas.agendaHit,
  documents: schemas.document,
  record_streams: schemas.recordStream,
  stream_records: schemas.streamRecord,
} as const;

export type Resource = keyof typeof RECORD_SCHEMAS;

export const RESOURCES = Object.keys(RECORD_SCHEMAS) as [Resource, ...Resource[]];

/** What an importer or a connector states about a record; the service adds `id`, `createdAt`, `updatedAt`. */
export type RecordContent<R extends Resource = Resource> = z.input<(typeof RECORD_SCHEMAS)[R]>;
/** The content as it is stored: normalised, every key present. */
export type NormalizedContent<R extends Resource = Resource> = z.output<(typeof RECORD_SCHEMAS)[R]>;

/** A record's `data` as it is stored and sent. */
export type RecordData<R extends Resource = Resource> = NormalizedContent<R> & {
  readonly id: string;
  readonly createdAt: string;
  readonly updatedAt: string;
};

export const isResource = (name: string): name is Resource => Object.hasOwn(RECORD_SCHEMAS, name);
