import { listRecentAgendaHits } from '../../../contract/list-recent-agenda-hits.ts';
import { CIVIC_COMMAND } from '../../../plumbing/program-files.ts';
import { SCOPES } from '../../../domain/events/account-events.ts';
import { FIRST_SYNC } from '../../edge/pages/first-sync.ts';
import type { SampleAccount } from '../../sources/first-run.ts';

/** Result of a start. An address is null if its listener is off. */
export interface Started {
  readonly baseUrl: string | null;
  readonly opsUrl: string | null;
  /** Null unless this start opened it. Its key is null if it must not be printed. */
  readonly sampleAccount: SampleAccount | null;
}

/** Returns what a started service prints: its addresses, its key, and commands to try. */
export function formatBanner({ baseUrl: served, opsUrl, sampleAccount }: Started): string {
  const baseUrl = served ?? '(no public listener in this role)';
  const key = sampleAccount?.key ?? null;
  const header = key === null ? '-H "Authorization: Bearer $CIVIC_API_KEY"' : `-H 'Authorization: Bearer ${key}'`;
  return [
    '',
    `Civic Records  ${baseUrl}`,
    ...(baseUrl.startsWith('http') ? [`reference      ${baseUrl}/reference`] : []),
    ...(opsUrl === null ? [] : [`operators      ${opsUrl}/ops  ${opsUrl}/readyz  ${opsUrl}/metrics`]),
    ...formatAccess(sampleAccount),
    '',
    'Try:',
    `  curl '${baseUrl}${listRecentAgendaHits.path}'`,
    `  curl ${header} '${baseUrl}/api/v1/data/changes?limit=2'`,
    `  curl ${header} -X POST '${baseUrl}/api/v1/data/snapshots'`,
    `  curl ${header} '${baseUrl}/api/v1/data/health'`,
    ...(sampleAccount === null
      ? []
      : ['', 'The feed contains made-up sample records; your first sync replaces them:', `  ${FIRST_SYNC}`]),
    '',
    '',
  ].join('\n');
}

function formatAccess(sampleAccount: SampleAccount | null): readonly string[] {
  const key = sampleAccount?.key ?? null;
  if (key !== null) return [`API key        ${key}`, '               (the sample account; shown this once)'];
  return [
    'API key        issue one, it is shown once:',
    ...(sampleAccount === null ? [`               ${CIVIC_COMMAND} accounts list`] : []),
    `               ${CIVIC_COMMAND} keys issue --account ${sampleAccount?.accountId ?? 'ID'} --scope ${SCOPES.join(',')}`,
  ];
}
