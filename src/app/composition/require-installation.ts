import { openedFeed } from '../../../commands/feed/feed-identity.ts';
import { type Installed, requireSameInstallation } from '../../../commands/feed/same-installation.ts';
import type { EventLog, StoredEvent } from '../../../domain/ports/event-log.ts';
import type { GenerationStore } from '../../../domain/ports/generations.ts';
import { requireOwnLog } from '../../processors/runtime/own-log.ts';

interface InstallationParts extends Installed {
  readonly log: EventLog;
  readonly generations: Pick<GenerationStore, 'list'>;
}

/**
 * Throws if the database, its log and its feed do not belong together, or if a renewal or a restore has not finished.
 * Appends nothing. Resolves to the newest event of the feed's stream; null for an empty log.
 */
export async function requireInstallation({
  generations,
  ...installed
}: InstallationParts): Promise<StoredEvent | null> {
  await requireOwnLog(generations, installed.log);
  await requireSameInstallation(installed);
  return openedFeed(installed.log);
}
