/** The parts that health checks separately, in the order of its answer. Without the log or the feed the service is `unavailable`. */
export const HEALTH_PARTS = ['log', 'feed', 'sources', 'projections', 'reactors'] as const;
export type HealthPart = (typeof HEALTH_PARTS)[number];
