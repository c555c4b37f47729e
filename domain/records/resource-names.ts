/** The eleven civic resources, in the order in which they are listed everywhere. A file of its own: a client takes the names without the schemas. */
export const RESOURCES = [
  'jurisdictions',
  'public_bodies',
  'sources',
  'topics',
  'meetings',
  'agendas',
  'agenda_items',
  'agenda_hits',
  'documents',
  'record_streams',
  'stream_records',
] as const;

export type Resource = (typeof RESOURCES)[number];
