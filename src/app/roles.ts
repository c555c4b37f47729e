/** Roles of a process: `civic serve --role`. */
export const ROLES = ['all', 'api', 'projector', 'relay', 'worker'] as const;
export type ServeRole = (typeof ROLES)[number];

type Sharing =
  /** Every process does it for itself. */
  | 'each'
  /** One process at a time does it, under a lease. */
  | 'one'
  /** One process at a time does each part, under a lease per part. */
  | 'parts';

interface WorkRoles {
  /** Text of the table in docs/operators/deployment.md. */
  readonly description: string;
  /** Roles that do it besides `all`, which does everything. */
  readonly roles: readonly ServeRole[];
  readonly among: Sharing;
}

/** Work of the service by role. */
export const WORK = {
  answerRequests: { description: 'answer requests', roles: ['api'], among: 'each' },
  mergePublicCounts: { description: 'add up the public requests of all processes', roles: ['api'], among: 'each' },
  runProjections: {
    description: 'fold the read models, build and switch their generations',
    roles: ['projector'],
    among: 'parts',
  },
  pruneHistory: { description: 'prune the record history', roles: ['projector'], among: 'one' },
  forgetDeadKeys: {
    description: 'delete the uses and reads of revoked and expired keys',
    roles: ['projector'],
    among: 'one',
  },
  runReactors: { description: 'classify items, investigate and settle reports', roles: ['worker'], among: 'parts' },
  workDueReports: { description: 'continue reports that are due', roles: ['worker'], among: 'one' },
  reconcilePayments: { description: 'reconcile payments', roles: ['worker'], among: 'parts' },
  pollSources: { description: 'poll sources', roles: ['worker'], among: 'parts' },
  relayToKafka: { description: 'publish the feed to Kafka', roles: ['relay'], among: 'one' },
  consumeFromKafka: { description: 'read record changes from Kafka', roles: ['relay'], among: 'parts' },
  seedCatalogue: {
    description: 'seed an empty log with topics and the coverage catalogue',
    roles: ['worker'],
    among: 'each',
  },
  seedSample: { description: 'seed an empty log with the sample', roles: [], among: 'each' },
} as const satisfies Readonly<Record<string, WorkRoles>>;
export type Work = keyof typeof WORK;

export function does(role: ServeRole, work: Work): boolean {
  const { roles }: { readonly roles: readonly ServeRole[] } = WORK[work];
  return role === 'all' || roles.includes(role);
}
