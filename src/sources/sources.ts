import { LEGISTAR } from './legistar/sync.ts';
import { CIVICWEB } from './civicweb/source.ts';
import type { Source } from './source.ts';

/** By the name of the command. */
export const SOURCES = { legistar: LEGISTAR, civicweb: CIVICWEB } as const satisfies Readonly<Record<string, Source>>;

export type SourceName = keyof typeof SOURCES;
