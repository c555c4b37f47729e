import { LEGISTAR } from './legistar/sync.ts';
import type { Source } from './source.ts';

/** Every source by the name of its command. */
export const SOURCES = { legistar: LEGISTAR } as const satisfies Readonly<Record<string, Source>>;

export type SourceName = keyof typeof SOURCES;
