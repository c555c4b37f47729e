import type { Clock } from '../../domain/ports/clock.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import { attachEmbedded, type AttachedDatabase, type AttachOptions } from './attach.ts';

const AGAIN_AFTER_MS = 1000;

export interface StayAttached extends Pick<AttachOptions, 'dataDir' | 'role' | 'startTimeoutMs'> {
  readonly logger: Logger;
  readonly clock: Clock;
}

/** Uses the embedded PostgreSQL until `leave`, and starts it again whenever it is lost; its address stays the same. Throws as `attachEmbedded`. */
export const stayAttached = async ({ logger, clock, ...options }: StayAttached): Promise<AttachedDatabase> => {
  let current: AttachedDatabase;
  let left = false;
  const attach = (): Promise<AttachedDatabase> =>
    attachEmbedded({
      ...options,
      onRestarted: (reason) => logger.warn({ reason }, 'the embedded PostgreSQL died and was started again'),
      onLost: (reason) => {
        logger.warn({ reason }, 'the embedded PostgreSQL is gone; starting it again');
        void again();
      },
    });
  const again = async (): Promise<void> => {
    for (;;) {
      if (left) return;
      try {
        current = await attach();
        if (left) await current.leave();
        return;
      } catch (error) {
        logger.error({ error: (error as Error).message }, 'the embedded PostgreSQL could not be started again; trying on');
        await clock.sleep(AGAIN_AFTER_MS);
      }
    }
  };
  current = await attach();
  if (options.role === 'service' && current.warning !== undefined) logger.warn({}, current.warning);
  return {
    url: current.url,
    leave: async () => {
      left = true;
      await current.leave();
    },
  };
};
