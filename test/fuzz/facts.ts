import { MISSING_RECORD } from '../support/missing-record.ts';
import type { FuzzFacts } from './conversation.ts';

/** Makes a snapshot, a subscription and a report of a key, so that requests can name existing ones. */
export async function makeFacts(baseUrl: string, key: string): Promise<FuzzFacts> {
  const create = async (path: string, body: object): Promise<Record<string, string>> => {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': 'fuzz',
      connection: 'close',
    };
    const answer = await fetch(`${baseUrl}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text}`);
    return (JSON.parse(text) as { readonly data: Record<string, string> }).data;
  };
  const { snapshotId } = await create('/api/v1/data/snapshots', {});
  const { id } = await create('/api/v1/data/subscriptions', { name: 'fuzz', resource: null });
  const { reportId } = await create('/api/v1/data-reports', MISSING_RECORD);
  return { key, snapshotId: snapshotId!, subscriptionId: id!, reportId: reportId! };
}
