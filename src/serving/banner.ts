import { SCOPES } from '../../domain/events/account-events.ts';
import type { SampleAccount } from '../sources/first-run.ts';

export interface Banner {
  readonly baseUrl: string;
  readonly opsUrl: string | null;
  /** Null after the first run; its key is null where it must not be printed. */
  readonly sampleAccount: SampleAccount | null;
  readonly civic: string;
}

/** The text of a start: addresses, the sample key, and three commands that use it. */
export function bannerText({ baseUrl, opsUrl, sampleAccount, civic }: Banner): string {
  const sampleKey = sampleAccount?.key ?? null;
  const key = sampleKey ?? '$CIVIC_KEY';
  const header = `-H ${sampleKey === null ? `"Authorization: Bearer ${key}"` : `'Authorization: Bearer ${key}'`}`;
  const access =
    sampleKey === null
      ? [
          'API key        issue one, it is shown once:',
          `               ${civic} keys issue --account ${sampleAccount?.accountId ?? 'ID'} --scope ${SCOPES.join(',')}`,
        ]
      : [`API key        ${sampleKey}`, '               (the sample account; shown this once)'];
  return [
    '',
    `Civic Records  ${baseUrl}`,
    ...(opsUrl === null ? [] : [`operators      ${opsUrl}/readyz  ${opsUrl}/metrics  ${opsUrl}/ops`]),
    ...access,
    '',
    'Try:',
    `  curl ${header} '${baseUrl}/api/v1/data/changes?limit=2'`,
    `  curl ${header} -X POST '${baseUrl}/api/v1/data/snapshots'`,
    `  curl ${header} '${baseUrl}/api/v1/data/health'`,
    '',
    '',
  ].join('\n');
}
