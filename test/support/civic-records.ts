import type { RecordChange } from '../../commands/records/write-records.ts';
import { derivedId } from '../../domain/identifiers.ts';
import type { Resource } from '../../domain/records/resources.ts';

/** Resources that the generated records are spread over. */
export const SOME_RESOURCES = ['topics', 'documents', 'stream_records'] as const satisfies readonly Resource[];
export type SomeResource = (typeof SOME_RESOURCES)[number];

export const recordId = (resource: SomeResource, number: number): string => derivedId('test', resource, number);

const contentOf: Readonly<Record<SomeResource, (variant: number) => object>> = {
  topics: (variant) => ({
    slug: `topic-${variant}`,
    name: `Topic ${variant}`,
    publicLabel: 'Zoning',
    description: `Variant ${variant}, "quoted" and ünïcode 𝔘`,
    keywords: ['zoning', `v${variant}`],
    negativeKeywords: [],
    selectable: variant % 2 === 0,
    classificationActive: true,
    taxonomyManaged: false,
  }),
  documents: (variant) => ({
    meetingId: variant % 3 === 0 ? derivedId('test', 'meeting', variant % 5) : null,
    agendaItemId: derivedId('test', 'item', variant % 7),
    kind: 'agenda',
    title: `Agenda ${variant}`,
    url: `https://example.org/agenda/${variant}`,
  }),
  stream_records: (variant) => ({
    recordStreamId: derivedId('test', 'stream', variant % 4),
    sourceRecordId: `P-${variant}`,
    title: `Permit ${variant}`,
    sourceUrl: 'https://example.org/permits',
    attributes: { b: variant, a: variant / 3, open: variant % 2 === 0, note: null },
  }),
};

/** A record differs in each variant. */
export const upsert = (resource: SomeResource, number: number, variant: number): RecordChange => ({
  op: 'upsert',
  resource,
  id: recordId(resource, number),
  content: contentOf[resource](variant),
});

export const remove = (resource: SomeResource, number: number): RecordChange => ({
  op: 'remove',
  resource,
  id: recordId(resource, number),
});

/** A number generator with a seed (mulberry32), so that a run can be repeated. Numbers from 0 up to, not including, 1. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let value = state;
    value = Math.imul(value ^ (value >>> 15), value | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const below = (random: () => number, limit: number): number => Math.floor(random() * limit);

/** Changes of few records, so that they collide: mostly upserts of few variants, some removes. */
export const randomChanges = (random: () => number, count: number, records = 12): RecordChange[] =>
  Array.from({ length: count }, () => {
    const resource = SOME_RESOURCES[below(random, SOME_RESOURCES.length)]!;
    const number = below(random, records);
    return random() < 0.2 ? remove(resource, number) : upsert(resource, number, below(random, 50));
  });
