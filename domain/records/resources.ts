import type { z } from 'zod';
import { type Resource, RESOURCES } from './resource-names.ts';
import * as schemas from './schemas.ts';

export { type Resource, RESOURCES };

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
} as const satisfies Record<Resource, z.ZodType>;

/** Content of a record as importers and connectors send it; the service adds `id`, `createdAt`, `updatedAt`. */
export type RecordContent<R extends Resource = Resource> = z.input<(typeof RECORD_SCHEMAS)[R]>;
/** The content as it is stored: normalized, every key present. */
export type NormalizedContent<R extends Resource = Resource> = z.output<(typeof RECORD_SCHEMAS)[R]>;

/** A record's `data` as it is stored and sent. */
export type RecordData<R extends Resource = Resource> = NormalizedContent<R> & {
  readonly id: string;
  readonly createdAt: string;
  readonly updatedAt: string;
};

export const isResource = (name: string): name is Resource => Object.hasOwn(RECORD_SCHEMAS, name);
