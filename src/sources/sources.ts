import { LEGISTAR } from './legistar/sync.ts';
import { CIVICCLERK } from './civicclerk/source.ts';
import { OPENCITIES } from './opencities/source.ts';
import { TECHSHARE } from './techshare/source.ts';
import { CIVICWEB } from './civicweb/source.ts';
import type { Source } from './source.ts';

/** By the name of the command. */
export const SOURCES = {
  legistar: LEGISTAR,
  civicweb: CIVICWEB,
  techshare: TECHSHARE,
  opencities: OPENCITIES,
  civicclerk: CIVICCLERK,
} as const satisfies Readonly<Record<string, Source>>;

export type SourceName = keyof typeof SOURCES;
