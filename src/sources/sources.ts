import { LEGISTAR } from './legistar/source.ts';
import { CIVICCLERK } from './civicclerk/source.ts';
import { OPENCITIES } from './opencities/source.ts';
import { TECHSHARE } from './techshare/source.ts';
import { CIVICPLUS } from './civicplus/source.ts';
import { CIVICPLUS_ARCHIVE } from './civicplus-archive/source.ts';
import { SWAGIT } from './swagit/source.ts';
import { CIVICWEB } from './civicweb/source.ts';
import type { Source } from './source.ts';

/** Sources by the name in the command. */
export const SOURCES = {
  legistar: LEGISTAR,
  civicweb: CIVICWEB,
  techshare: TECHSHARE,
  opencities: OPENCITIES,
  civicclerk: CIVICCLERK,
  civicplus: CIVICPLUS,
  'civicplus-archive': CIVICPLUS_ARCHIVE,
  swagit: SWAGIT,
} as const satisfies Readonly<Record<string, Source>>;

export type SourceName = keyof typeof SOURCES;
