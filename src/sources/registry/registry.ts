import { z } from 'zod';
import { slug, text, url } from '../../../domain/records/fields.ts';
import { JURISDICTIONS } from '../catalogue/catalogue-records.ts';
import { SyncRefused } from '../source.ts';
import registry from './data/registry.json' with { type: 'json' };

/** Kinds of evidence, the strongest first: content was seen, a third party downloaded content, only a list names it. */
export const EVIDENCE = ['seen', 'downloaded', 'listed'] as const;

/** A day, or only its year or month, as precise as the source of the evidence. */
const evidenceDate = z.string().regex(/^\d{4}(?:-\d{2}(?:-\d{2})?)?$/);
const day = z.iso.date();

/** Answer of a client to one probe. */
const answer = z.strictObject({
  probedOn: day,
  result: z.enum(['answered', 'refused', 'gone', 'unreachable']),
  /** Number of bodies that the client lists, and the names of the first ones. */
  bodies: z.int().min(0).optional(),
  bodyNames: z.array(text).optional(),
  newestMeeting: day.nullable().optional(),
  newestAgenda: day.nullable().optional(),
  /** Form of the newest agenda, such as `pdf`, where its address shows it. */
  agendaForm: text.nullable().optional(),
  reason: text.optional(),
});
export type RegistryAnswer = z.output<typeof answer>;

/** A body of a place and where it publishes. */
const row = z.strictObject({
  jurisdictionSlug: slug,
  bodySlug: slug,
  bodyName: text,
  /** Name of the platform in the list of sources. It might not be read by this version. */
  platform: z.string().regex(/^[a-z][a-z0-9-]*$/),
  client: z.string().regex(/^[a-z0-9.-]{1,253}$/),
  /** Options of the platform by name, such as `view`. */
  options: z.record(z.string().regex(/^[a-z]+$/), text).optional(),
  baseUrl: url.optional(),
  evidence: z.enum(EVIDENCE),
  evidenceDate: evidenceDate.nullable(),
  /** True if only meetings of earlier years were found there. */
  onlyOld: z.literal(true).optional(),
  note: text,
  answer: answer.optional(),
});
export type RegistryRow = z.output<typeof row>;

const REASONS = ['duplicate', 'noAgendas', 'noClient', 'ownSite', 'platformNotRead', 'unknownPlatform'] as const;
const file = z.strictObject({
  /** Rows of the research that the file does not contain, by reason. */
  leftOut: z.record(z.enum(REASONS), z.int().min(0)),
  rows: z.array(row),
});

const keyOf = (row: RegistryRow): string => [row.jurisdictionSlug, row.bodySlug, row.platform, row.client].join(' ');

/** Throws for a place that the catalogue does not have, and for two rows about the same body and client. */
function requireConsistent(rows: readonly RegistryRow[]): readonly RegistryRow[] {
  const places = new Set(JURISDICTIONS.map(({ slug }) => slug));
  const placeOfClient = new Map<string, string>();
  const keys = new Set<string>();
  for (const row of rows) {
    const { jurisdictionSlug, platform, client } = row;
    if (!places.has(jurisdictionSlug)) throw new SyncRefused(`the catalogue has no place ${jurisdictionSlug}`);
    if (keys.has(keyOf(row))) throw new SyncRefused(`two rows are about ${keyOf(row)}`);
    keys.add(keyOf(row));
    const other = placeOfClient.get(`${platform}:${client}`) ?? jurisdictionSlug;
    if (other !== jurisdictionSlug)
      throw new SyncRefused(`${platform}:${client} belongs to ${other} and to ${jurisdictionSlug}`);
    placeOfClient.set(`${platform}:${client}`, jurisdictionSlug);
  }
  return rows;
}

/** Parses rows of a registry. Throws `SyncRefused` with the first fault. */
export function parseRegistryRows(value: unknown): readonly RegistryRow[] {
  const { data, error } = z.array(row).safeParse(value);
  if (data === undefined) throw new SyncRefused(`a row of the registry is not usable: ${z.prettifyError(error)}`);
  return requireConsistent(data);
}

/** Returns the shipped registry. Rows of platforms that this version does not read are part of it. */
export function shippedRegistry() {
  const { leftOut, rows } = file.parse(registry);
  return { leftOut, rows: requireConsistent(rows) };
}

/** Returns the rows with those of `later` in place of rows about the same body and client. */
export function withLaterRows(rows: readonly RegistryRow[], later: readonly RegistryRow[]): readonly RegistryRow[] {
  const byKey = new Map(rows.map((row) => [keyOf(row), row]));
  for (const row of later) byKey.set(keyOf(row), row);
  return requireConsistent([...byKey.values()]);
}
