import type { openCivic } from './composition.ts';

/** The program that commands and the service use: the platform with the modules that `src/app/composition.ts` adds. */
export type Civic = Awaited<ReturnType<typeof openCivic>>;

export type Role = Parameters<typeof openCivic>[1];
