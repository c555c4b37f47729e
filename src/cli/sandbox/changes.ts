import { z } from 'zod';
import { handleAccountCommand, issueKey } from '../../../commands/accounts/account-decider.ts';
import { renewFeed } from '../../../commands/feed/feed-identity.ts';
import type { RecordChange } from '../../../commands/records/write-records.ts';
import { SCOPES, type Scope } from '../../../domain/events/account-events.ts';
import type { BillingFacts } from '../../../domain/plans.ts';
import type { Civic } from '../../app/civic.ts';
import { SAMPLE_IDS, sampleRecords } from '../../sources/sample/sample-records.ts';
import { upsert } from '../../sources/source.ts';
import { CommandFailed } from '../context.ts';
import { DEADLINE_MS } from '../verb.ts';

/** Later than any time to which the clock of a sandbox is moved. */
const PAID_UNTIL = '9999-01-01T00:00:00.000Z';
const MAX_CHANGES = 5_000;

interface SandboxKeys {
  /** Key of an Ultra account, with every scope. */
  readonly key: string;
  /** Key of an account that pays for each tool call. */
  readonly payAsYouGoKey: string;
}

export async function openAccounts(civic: Civic): Promise<SandboxKeys> {
  const open = async (
    name: string,
    billing: Pick<BillingFacts, 'channel' | 'tier'>,
    scopes: readonly Scope[],
  ): Promise<string> => {
    const common = { accountId: civic.identifiers.next(), context: {}, deadline: civic.clock.now() + DEADLINE_MS };
    const paidUntil = billing.channel === 'subscription' ? PAID_UNTIL : null;
    const command = { type: 'OpenAccount', name, ...billing, paidUntil } as const;
    const opened = await handleAccountCommand(civic, { ...common, commandId: civic.identifiers.next(), command });
    const issued = await issueKey(civic, { ...common, scopes, expiresAt: null });
    if (opened.kind === 'rejected') throw opened.rejection;
    if (issued.handled.kind === 'rejected') throw issued.handled.rejection;
    return issued.secret;
  };
  return {
    key: await open('Sandbox', { channel: 'subscription', tier: 'ultra' }, SCOPES),
    payAsYouGoKey: await open('Sandbox, pay as you go', { channel: 'payg', tier: 'none' }, ['mcp:read']),
  };
}

async function waitUntilVisible(civic: Civic): Promise<void> {
  if (!(await civic.caughtUp(await civic.log.head()))) throw new Error('the read models have not caught up');
}

async function write(civic: Civic, changes: readonly RecordChange[]): Promise<void> {
  const rejected = (await civic.writer.write(changes, {})).find(({ kind }) => kind === 'rejected');
  if (rejected !== undefined)
    throw new CommandFailed(`the sandbox refused its own record: ${JSON.stringify(rejected)}`);
  await waitUntilVisible(civic);
}

export const newChanges = z.strictObject({ count: z.int().min(1).max(MAX_CHANGES) });

/** Publishes made-up documents; each is one change of the feed. */
export async function publishDocuments(civic: Civic, { count }: z.output<typeof newChanges>) {
  const changes = Array.from({ length: count }, (): RecordChange => {
    const id = civic.identifiers.next();
    return upsert('documents', id, {
      kind: 'agenda',
      title: `Sandbox document ${id}`,
      url: `https://example.org/sandbox/${id}`,
    });
  });
  await write(civic, changes);
  return { documents: changes.map(({ id }) => id) };
}

export const sourceState = z.strictObject({ status: z.enum(['healthy', 'failing']) });

/** Sets the status of the sample source. Health is degraded while a source fails. */
export async function setSource(civic: Civic, { status }: z.output<typeof sourceState>) {
  const now = new Date(civic.clock.now()).toISOString();
  const sample = sampleRecords(civic.clock.now()).find(({ op, id }) => op === 'upsert' && id === SAMPLE_IDS.source);
  const { content } = sample as Extract<RecordChange, { op: 'upsert' }>;
  const checked =
    status === 'healthy' ? { lastSuccessfulCheckAt: now, consecutiveFailures: 0 } : { consecutiveFailures: 3 };
  await write(civic, [
    {
      ...(sample as RecordChange & { op: 'upsert' }),
      content: { ...(content as object), status, lastCheckedAt: now, ...checked },
    },
  ]);
  return { sourceId: SAMPLE_IDS.source, status };
}

export const renewal = z.strictObject({ reason: z.string().min(1).max(1000).default('requested in the sandbox') });

/** Renews the feed like `civic feed renew`: every earlier cursor gets 410. */
export async function renew(civic: Civic, { reason }: z.output<typeof renewal>) {
  const { feedId, previousFeedId } = await renewFeed(civic, reason);
  await waitUntilVisible(civic);
  return { feedId, previousFeedId };
}
