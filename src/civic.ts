import type { openCivic } from './composition.ts';

/** The program as commands and the service see it: the platform, and what `src/composition.ts` has assembled on it. */
export type Civic = Awaited<ReturnType<typeof openCivic>>;

export type Role = Parameters<typeof openCivic>[1];
