import { handleAccountCommand, issueKey } from '../../commands/accounts/account-decider.ts';
import { openCivic } from '../../src/app/composition.ts';
import { SCOPES } from '../../domain/events/account-events.ts';
import { derivedId } from '../../domain/identifiers.ts';
import { readSettings } from '../../src/app/settings.ts';
import { fillNewLog } from '../../src/sources/first-run.ts';
import { SAMPLE_IDS } from '../../src/sources/sample/sample-records.ts';

export const SOAK_MEETING = derivedId('soak', 'meeting');
const DEADLINE_MS = 60_000;

export interface SoakAccount {
  readonly accountId: string;
  readonly key: string;
}

/** Fills the log with the catalogue, the sample and a meeting with classified items, and opens paid accounts. */
export async function writeFirstRecords(databaseUrl: string, accounts: number): Promise<readonly SoakAccount[]> {
  const { settings } = readSettings({ DATABASE_URL: databaseUrl, CIVIC_SAMPLE: 'off', CIVIC_LOG_LEVEL: 'silent' });
  const civic = await openCivic(settings, 'command', []);
  try {
    await fillNewLog(civic, { sample: 'on', sampleKey: false });
    const meeting = {
      publicBodyId: SAMPLE_IDS.publicBody,
      title: 'Meeting of the soak',
      startsAt: new Date(civic.clock.now() + 7 * 86_400_000).toISOString(),
      timezone: 'America/Chicago',
      status: 'scheduled',
      sourceUrl: 'https://records.example.org/meetings/1',
    };
    const [written] = await civic.writer.write(
      [{ op: 'upsert', resource: 'meetings', id: SOAK_MEETING, content: meeting }],
      {},
    );
    if (written?.kind !== 'appended') throw new Error(`the meeting was ${JSON.stringify(written)}`);
    const opened: SoakAccount[] = [];
    for (let count = 0; count < accounts; count += 1) {
      const accountId = civic.identifiers.next();
      const common = { accountId, context: {}, deadline: civic.clock.now() + DEADLINE_MS };
      const paid = { channel: 'subscription', tier: 'ultra', paidUntil: '2099-01-01T00:00:00.000Z' } as const;
      const command = { type: 'OpenAccount', name: `Customer ${count + 1}`, ...paid } as const;
      await handleAccountCommand(civic, { ...common, commandId: civic.identifiers.next(), command });
      const { secret } = await issueKey(civic, { ...common, scopes: SCOPES, expiresAt: null });
      opened.push({ accountId, key: secret });
    }
    if (!(await civic.caughtUp(await civic.log.head())))
      throw new Error('the read models do not follow the first records');
    return opened;
  } finally {
    await civic.close();
  }
}
