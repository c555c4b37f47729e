import { openFeed } from '../../commands/feed/open-feed.ts';
import { rememberInstallation, requireSameInstallation } from '../../commands/feed/same-installation.ts';
import { createInstallationStore } from '../../infra/postgresql/installation.ts';
import { requireOwnLog } from '../../projections/projector/own-log.ts';
import type { Identifiers } from '../domain/identifiers.ts';
import type { Clock } from '../domain/ports/clock.ts';
import type { Transactor } from '../domain/ports/database.ts';
import type { EventLog } from '../domain/ports/event-log.ts';
import type { GenerationStore } from '../domain/ports/generations.ts';
import type { Logger } from '../domain/ports/logger.ts';
import type { Settings } from '../settings.ts';

interface OwnFeed {
  readonly generations: GenerationStore;
  readonly transactor: Transactor;
  readonly log: EventLog;
  readonly settings: Pick<Settings, 'EVENTSTORE_URL'>;
  readonly clock: Clock;
  readonly identifiers: Identifiers;
  readonly logger: Logger;
}

/** Opens the feed of this very installation. Before anything is written: an empty log beside filled read models is not theirs, and is left empty. */
export const openOwnFeed = async ({ generations, transactor, clock, identifiers, settings, ...found }: OwnFeed): Promise<void> => {
  const installed = { ...found, holdsLog: settings.EVENTSTORE_URL === undefined, store: createInstallationStore(transactor) };
  await requireOwnLog(generations, found.log);
  await requireSameInstallation(installed);
  await openFeed(found.log, clock, identifiers);
  await rememberInstallation(installed);
};
