import { readdirSync } from 'node:fs';
import { z } from 'zod';
import { RECORD_DATA } from '../../contract/fields.ts';
import { readAccountEvent, readSubscriptionEvent } from '../../domain/events/account-events.ts';
import { readAccountReportEvent, readReportEvent } from '../../domain/events/report-events.ts';
import { readSourceListEvent } from '../../domain/events/source-events.ts';
import { RECORD_PUBLISHED } from '../../domain/events/record-events.ts';
import type { StoredEvent } from '../../domain/ports/event-log.ts';
import { RESOURCES } from '../../domain/records/resources.ts';
import { category } from '../../domain/streams.ts';

/** The current form of one type of event; of published records, one for each resource. */
export interface EventForm {
  readonly type: string;
  readonly schema: z.ZodType;
}

const FOLDER = new URL('../../domain/events/', import.meta.url);

function formsIn(exported: Readonly<Record<string, unknown>>): readonly (readonly [string, z.ZodType])[] {
  const schemaOf = (type: string): z.ZodType => {
    const schema = exported[type.charAt(0).toLowerCase() + type.slice(1)];
    if (!(schema instanceof z.ZodType)) throw new Error(`${type} has no schema beside it`);
    return schema;
  };
  return Object.entries(exported).flatMap(([name, value]) => {
    if (/^[A-Z_]+_EVENTS$/.test(name)) return Object.entries(value as Readonly<Record<string, z.ZodType>>);
    if (!/^[A-Z_]+$/.test(name) || typeof value !== 'string') return [];
    return value === RECORD_PUBLISHED ? [] : [[value, schemaOf(value)]];
  });
}

/** All schemas in the folder of events, by the names of their golden files. */
export async function eventForms(): Promise<ReadonlyMap<string, EventForm>> {
  const forms = new Map<string, EventForm>();
  for (const file of readdirSync(FOLDER)) {
    const exported = (await import(new URL(file, FOLDER).href)) as Readonly<Record<string, unknown>>;
    for (const [type, schema] of formsIn(exported)) forms.set(type, { type, schema });
  }
  for (const resource of RESOURCES)
    forms.set(`${RECORD_PUBLISHED}.${resource}`, { type: RECORD_PUBLISHED, schema: RECORD_DATA[resource] });
  return forms;
}

const READERS: Readonly<
  Record<string, (stored: Pick<StoredEvent, 'type' | 'data'>) => { readonly type: string; readonly data: unknown }>
> = {
  account: readAccountEvent,
  account_feeds: readSubscriptionEvent,
  account_reports: readAccountReportEvent,
  report: readReportEvent,
  source_list: readSourceListEvent,
};

/** An event as the program reads it: by its category's reader, where it has one, else by its schema. */
export function readAsProgram(stored: Pick<StoredEvent, 'type' | 'data' | 'stream'>, { schema }: EventForm) {
  const read = READERS[category(stored.stream)];
  return read === undefined ? { type: stored.type, data: schema.parse(JSON.parse(stored.data)) } : read(stored);
}

/** Descriptions of a schema restrict no value, and a schema with a name would be removed from the text. */
const RESTRICTIONS = Object.assign(z.registry<z.GlobalMeta>(), {
  get(schema: z.core.$ZodType) {
    const {
      id: _name,
      description: _text,
      closed: _closed,
      wire: _wire,
      ...restrictions
    } = z.globalRegistry.get(schema) ?? {};
    return restrictions;
  },
});

/** A schema as text that changes with the set of accepted values, as far as JSON Schema expresses it. */
export const schemaText = (schema: z.ZodType): unknown =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', metadata: RESTRICTIONS });
