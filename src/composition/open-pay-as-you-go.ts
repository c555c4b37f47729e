import type { X402 } from '../../infra/x402/open.ts';
import type { Settings } from '../settings.ts';

const FACILITATOR_TIMES = { verifyMs: 2_000, settleMs: 4_000 };

/** The channel is off until it is said whom to pay and who settles; what it needs is large, and loaded then only. */
export const openPayAsYouGo = async (settings: Settings): Promise<X402 | null> => {
  const { CIVIC_X402_PAY_TO: payTo, CIVIC_X402_FACILITATOR_URL: facilitatorUrl, CIVIC_X402_RPC_URL: rpcUrl } = settings;
  if (payTo === undefined || facilitatorUrl === undefined) return null;
  return (await import('../../infra/x402/open.ts')).openX402({ payTo, facilitatorUrl, rpcUrl }, FACILITATOR_TIMES);
};
