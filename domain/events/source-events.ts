import { z } from 'zod';
import { slug, text, timeZone, url } from '../records/fields.ts';
import { eventReader, type EventsOf } from './event-reader.ts';

/** A client of a platform; its name is part of addresses and leases. */
export const sourceRef = z.strictObject({
  source: z.string().regex(/^[a-z][a-z0-9-]*$/),
  client: z.string().regex(/^[a-z0-9.-]{1,253}$/),
});
export type SourceRef = z.output<typeof sourceRef>;

/** The place that a source covers. Its slug is unique; a county's ends in `-county`. */
const sourcePlace = z.strictObject({ slug, name: text.max(200), timezone: timeZone });
export type SourcePlace = z.output<typeof sourcePlace>;

const addedSource = z.strictObject({
  ...sourceRef.shape,
  jurisdiction: sourcePlace,
  /** True if the public hit operations show the bodies of the place. */
  isPublic: z.boolean(),
  /** Address of the platform, if it is not the usual one. */
  baseUrl: url.optional(),
  /** Options of its platform by their names, such as the views of a tenant. */
  options: z.record(z.string().regex(/^[a-z][A-Za-z]{0,49}$/), text.max(1_000)).optional(),
});
export type AddedSource = z.output<typeof addedSource>;

/** Events on the single stream of added sources, so that every process gets the same list with one read. */
export const SOURCE_LIST_EVENTS = { SourceAdded: addedSource, SourceRemoved: sourceRef } as const;
export const SOURCE_LIST_EVENT_TYPES = Object.keys(SOURCE_LIST_EVENTS);

export type SourceListEvent = EventsOf<typeof SOURCE_LIST_EVENTS>;
export const readSourceListEvent = eventReader(SOURCE_LIST_EVENTS, 'event of the list of sources');

export const sourceKey = ({ source, client }: SourceRef): string => `${source}:${client}`;
