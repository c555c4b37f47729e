import { ACCOUNTS } from '../../projections/accounts/tables.ts';
import { BUILT_IN_PLANS } from '../../src/edge/admission/plans.ts';
import type { Admission, Principal } from '../../src/edge/admission/admit.ts';
import type { Civic } from '../../src/app/civic.ts';
import { openCivic } from '../../src/app/composition.ts';
import { SCOPES } from '../../domain/events/account-events.ts';
import { keySecretHash } from '../../domain/key-secret.ts';
import { serve } from '../../src/app/serving/serve.ts';
import { readSettings } from '../../src/app/settings.ts';

type KeyRow = Readonly<Record<'sha256' | 'keyId' | 'accountId', string>>;

/**
 * The program with a reduced admission: it looks up the owner of a key once per turn of the event loop for all
 * requests, and counts and refuses nothing. It uses the same data directory as the service, and prints its address.
 */
function uncounted({ reads }: Civic): Admission {
  let waiting: Map<string, PromiseWithResolvers<Principal>> | undefined;
  const send = async (batch: ReadonlyMap<string, PromiseWithResolvers<Principal>>): Promise<void> => {
    try {
      const rows = await reads.rows<KeyRow>((live) => ({
        name: `keys_g${live(ACCOUNTS.name)}`,
        text: `select k.sha256, k.key_id as "keyId", k.account_id as "accountId", k.scopes, k.expires_at, k.revoked_at, a.status, a.channel, a.tier, a.paid_until, a.paid_at
          from ${ACCOUNTS.at(live(ACCOUNTS.name)).keys} k join ${ACCOUNTS.at(live(ACCOUNTS.name)).accounts} a using (account_id) where k.sha256 = any($1::text[])`,
        values: [[...batch.keys()]],
      }));
      for (const { sha256, keyId, accountId } of rows) {
        const billing = {
          channel: 'subscription',
          tier: 'ultra',
          paidUntil: Number.MAX_SAFE_INTEGER,
          paidAt: null,
        } as const;
        const allowances = BUILT_IN_PLANS.ultra;
        batch.get(sha256)!.resolve({ accountId, keyId, scopes: SCOPES, allowances, billing });
      }
      for (const { reject } of batch.values()) reject(new Error('there is no such key'));
    } catch (error) {
      for (const { reject } of batch.values()) reject(error);
    }
  };
  return {
    admit({ authorization }) {
      if (waiting === undefined) {
        const batch = new Map<string, PromiseWithResolvers<Principal>>();
        waiting = batch;
        setImmediate(() => {
          waiting = undefined;
          void send(batch);
        });
      }
      const sha256 = keySecretHash(authorization!.slice('Bearer '.length));
      const own = waiting.get(sha256) ?? Promise.withResolvers<Principal>();
      waiting.set(sha256, own);
      return own.promise;
    },
    admitAgain(admitted) {
      return this.admit(admitted);
    },
    chargeUnits: async () => [],
    chargeExport: async () => undefined,
  };
}

const civic = await openCivic(readSettings(process.env).settings, 'command', []);
const stopping = new AbortController();
process.once('SIGTERM', () => stopping.abort());
try {
  await serve(
    { ...civic, admission: uncounted(civic) },
    {
      role: 'api',
      stopping: stopping.signal,
      toTerminal: false,
      print: (text) => void process.stdout.write(`${/(http:\S+)/.exec(text)![1]!}\n`),
    },
  );
} finally {
  await civic.close();
}
