/**
 * The civic resources in their published order. The order is part of the wire format: cursors store a resource as its
 * index in this list (`BINDINGS` of `domain/cursor.ts`). Append new names at the end; never reorder or remove one.
 * CONTRIBUTING.md has the recipe.
 */
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
