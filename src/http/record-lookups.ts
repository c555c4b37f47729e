import type { RecordsInput } from '../contract/handlers.ts';
import { uuid } from '../domain/records/fields.ts';
import type { Resource } from '../domain/records/resources.ts';

/** What a batch looks up: each resource and id once. An id that is no uuid is no record's id and is left out, not refused. */
export const recordLookups = (requests: readonly { resource: Resource; ids: readonly string[] }[]): RecordsInput['requests'] => {
  const ids = new Map<Resource, Set<string>>();
  for (const request of requests) {
    const known = ids.get(request.resource) ?? new Set();
    for (const id of request.ids) {
      const parsed = uuid.safeParse(id);
      if (parsed.success) known.add(parsed.data);
    }
    if (known.size > 0) ids.set(request.resource, known);
  }
  return [...ids].map(([resource, known]) => ({ resource, ids: [...known] }));
};
