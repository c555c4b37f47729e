import { setTimeout as after } from 'node:timers/promises';
import { civic, type Service, serve } from './service.ts';

/** Requests are still charged and checked, but the allowance is never exhausted. */
const NO_LIMIT = { CIVIC_PUBLIC_LIMIT: '100000000/60' };

/**
 * Starts the service on an agenda. Resolves when its classifier has processed every imported item, so that it uses no
 * processor time during the measurement.
 */
export async function serveAgenda(dataDir: string): Promise<Service> {
  const service = await serve(dataDir, [], NO_LIMIT);
  for (;;) {
    const reactors = (await civic(dataDir, ['reactors', 'list'])).value as readonly {
      readonly lagEvents: number | null;
    }[];
    if (reactors.every(({ lagEvents }) => lagEvents === 0)) return service;
    await after(500);
  }
}

/** Hits of the agenda that the public answers are measured on. */
export const agendaSize = (size: 'small' | 'full'): number => (size === 'full' ? 60_000 : 6000);
