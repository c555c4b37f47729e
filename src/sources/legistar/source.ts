import type { Clock } from '../../../domain/ports/clock.ts';
import type { LegistarReader } from '../../../domain/ports/source-ports.ts';
import { type Source, type Sync, SyncRefused, type SyncRequest } from '../source.ts';
import { syncLegistar } from './sync.ts';

export const LEGISTAR: Source = {
  description: 'a client of the Legistar Web API',
  client: 'the client as its Web API names it',
  options: [
    ['--base-url <url>', 'another address of the Web API; it ends in /v1'],
    ['--from <folder>', 'read recorded responses from <folder>/<client> instead'],
    ['--since <date>', 'every event dated on or after YYYY-MM-DD, instead of what was modified lately'],
    ['--jurisdiction <slug>', 'jurisdiction of a client outside the shipped table'],
  ],
  check: ({ baseUrl, from }) => {
    if (baseUrl !== undefined && from !== undefined) throw new SyncRefused('give --base-url or --from, not both');
  },
};

/** `open` opens a reader for one request: of recorded responses in the folder `from`, else of the Web API at `baseUrl`. */
export const legistarSync =
  (open: (request: SyncRequest, clock: Clock) => LegistarReader): Sync =>
  ({ client, options, progress, signal }, target) =>
    syncLegistar({
      ...target,
      client,
      reader: open({ client, options, signal }, target.clock),
      since: options.since,
      jurisdictionSlug: options.jurisdiction,
      progress,
      signal,
    });
