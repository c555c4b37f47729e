/** What a process of the service does (operator's contract, `civic serve --role`). */
export const ROLES = ['all', 'api', 'projector', 'worker'] as const;
export type ServeRole = (typeof ROLES)[number];
