import type { z } from 'zod';
import type { StoredEvent } from '../ports/event-log.ts';

type Schemas = Readonly<Record<string, z.ZodType>>;

export type EventsOf<Map extends Schemas> = {
  [T in keyof Map & string]: { readonly type: T; readonly data: z.output<Map[T]> };
}[keyof Map & string];

/**
 * Reads an event of any stored version into its current shape. For an event of another category it throws that the type
 * `is no ${what}`.
 */
export const eventReader =
  <Map extends Schemas>(schemas: Map, what: string) =>
  ({ type, data }: Pick<StoredEvent, 'type' | 'data'>): EventsOf<Map> => {
    if (!Object.hasOwn(schemas, type)) throw new Error(`${type} is no ${what}`);
    return { type, data: schemas[type]!.parse(JSON.parse(data)) } as EventsOf<Map>;
  };
