/** Roles of a process: `civic serve --role`. */
export const ROLES = ['all', 'api', 'projector', 'relay', 'worker'] as const;
export type ServeRole = (typeof ROLES)[number];

/**
 * All work of the service: its roles besides `all`, which does everything, and how processes share it. `each`: every process for itself;
 * `one`: one process at a time, under a lease; `parts`: one process at a time for each part, under a lease per part.
 */
export const WORK = {
  'answer requests': { roles: ['api'], among: 'each' },
  'count public requests together': { roles: ['api'], among: 'each' },
  'fold the read models, build and switch their generations': { roles: ['projector'], among: 'parts' },
  'prune the record history': { roles: ['projector'], among: 'one' },
  'forget uses and reads of dead keys': { roles: ['projector'], among: 'one' },
  'classify items, work on reports as they come, settle them': { roles: ['worker'], among: 'parts' },
  'look at reports that are due': { roles: ['worker'], among: 'one' },
  'reconcile payments': { roles: ['worker'], among: 'parts' },
  'poll sources': { roles: ['worker'], among: 'parts' },
  'carry the feed out to Kafka': { roles: ['relay'], among: 'one' },
  'take record changes from Kafka': { roles: ['relay'], among: 'parts' },
  'fill a new log with topics and catalogue': { roles: ['worker'], among: 'each' },
  'fill a new log with the sample': { roles: [], among: 'each' },
} as const satisfies Readonly<Record<string, { readonly roles: readonly ServeRole[]; readonly among: 'each' | 'one' | 'parts' }>>;
export type Work = keyof typeof WORK;

export function does(role: ServeRole, work: Work): boolean {
  const { roles }: { readonly roles: readonly ServeRole[] } = WORK[work];
  return role === 'all' || roles.includes(role);
}
