export interface Banner {
  readonly baseUrl: string;
  readonly opsUrl: string | null;
  /** The sample account's key, on the first run only. */
  readonly sampleKey: string | null;
  readonly civic: string;
}

/** What a start prints: where the service is, how to get in, and three lines that work as printed. */
export const bannerText = ({ baseUrl, opsUrl, sampleKey, civic }: Banner): string => {
  const key = sampleKey ?? '$CIVIC_KEY';
  const header = `-H ${sampleKey === null ? `"Authorization: Bearer ${key}"` : `'Authorization: Bearer ${key}'`}`;
  const access =
    sampleKey === null
      ? ['API key        issue one, it is shown once:', `               ${civic} keys issue --account ID --scope civic:read,civic:export`]
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
};
