import { setTimeout as after } from 'node:timers/promises';
import { derivedId } from '../../domain/identifiers.ts';
import { openLinkedLog } from './linked-log.ts';
import type { Member } from './member.ts';
import type { World } from './world.ts';

const LOOK_MS = 50;
const ANSWER_MS = 10_000;
const PROBE = derivedId('soak', 'probe');

export interface Readiness {
  /** Milliseconds until every read model, reactor and API process had a new change; otherwise what was missing. */
  wait(withinMs: number): Promise<number | string>;
  close(): Promise<void>;
}

/** Checks whether the service works, by a change that is appended without the proxies. */
export function openReadiness(world: World, key: string): Readiness {
  const direct = openLinkedLog(world.database.url);
  let count = 0;
  const look = async (token: string, position: string): Promise<string | null> => {
    const rows = await world.database.query<{ name: string; checkpoint: string; reason: string | null }>(
      `select projection as name, checkpoint, paused_reason as reason from civic.generations where state = 'live'
       union all select name, checkpoint, paused_reason from civic.processors where due_at is null`,
    );
    const behind = rows.filter(({ checkpoint, reason }) => reason !== null || checkpoint < position);
    if (behind.length > 0) return `behind ${position}: ${behind.map((row) => Object.values(row).join(' ')).join('; ')}`;
    const missing = await Promise.all(world.members.map((member) => missingAt(member, key, token)));
    return missing.find((each) => each !== null) ?? null;
  };
  return {
    async wait(withinMs) {
      const started = performance.now();
      const elapsed = (): number => performance.now() - started;
      const token = `probe ${(count += 1)}`;
      const content = { kind: 'other', title: token, url: 'https://records.example.org/probe' };
      let position: string | undefined;
      let missing = 'nothing was looked at';
      while (elapsed() < withinMs) {
        try {
          const change = { op: 'upsert', resource: 'documents', id: PROBE, content } as const;
          const [outcome] = position === undefined ? await direct.writer.write([change], {}) : [];
          if (outcome?.kind === 'appended') position = outcome.position;
          // A probe with a lost outcome is looked up.
          if (outcome?.kind === 'unchanged') position = await direct.log.head();
          const isVisible = await look(token, position!);
          if (isVisible === null) return elapsed();
          missing = isVisible;
        } catch (error) {
          missing = String(error);
        }
        await after(LOOK_MS);
      }
      return missing;
    },
    close: () => direct.close(),
  };
}

async function missingAt({ name, role, baseUrl, opsUrl }: Member, key: string, token: string): Promise<string | null> {
  const signal = AbortSignal.timeout(ANSWER_MS);
  const ready = await fetch(`${opsUrl}/readyz`, { signal });
  const body = await ready.text();
  if (ready.status !== 200) return `${name} is not ready: ${body}`;
  if (role !== 'api') return null;
  const answer = await fetch(`${baseUrl}/api/v1/data/batch`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ requests: [{ resource: 'documents', ids: [PROBE] }] }),
    signal,
  });
  const text = await answer.text();
  return text.includes(`"${token}"`)
    ? null
    : `${name} does not tell of the newest change: ${answer.status} ${text.slice(0, 200)}`;
}
