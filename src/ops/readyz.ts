import type { Logger } from '../domain/ports/logger.ts';

export interface ReadinessCheck {
  readonly name: string;
  readonly ok: boolean;
  readonly reason?: string;
}

/** `degraded` serves: something stands still that taking this process out of the balance would not heal. */
export interface Readiness {
  readonly status: 'ready' | 'degraded' | 'not ready' | 'stopping';
  readonly checks: readonly ReadinessCheck[];
}

/** What `/readyz` tells; a failure of the question itself counts as not ready. */
export const tellReadiness = async (readiness: () => Promise<Readiness>, logger: Logger): Promise<{ status: number; body: Readiness }> => {
  const body = await Promise.try(readiness).catch((error: unknown): Readiness => {
    logger.warn({ err: error }, 'readiness could not be told');
    return { status: 'not ready', checks: [{ name: 'readiness', ok: false, reason: 'readiness could not be told' }] };
  });
  return { status: body.status === 'ready' || body.status === 'degraded' ? 200 : 503, body };
};
