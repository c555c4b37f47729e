/** What health asks, each part by itself, in the order in which it names them. Without the log or the feed the service is `unavailable`. */
export const HEALTH_PARTS = ['log', 'feed', 'sources', 'projections', 'reactors'] as const;
export type HealthPart = (typeof HEALTH_PARTS)[number];
