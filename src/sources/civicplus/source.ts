import { IGNORE_ROBOTS, type Source, SyncRefused } from '../source.ts';

export const CIVICPLUS: Source = {
  description: 'an AgendaCenter of CivicPlus, such as that of Ellis County',
  client: 'the host of the site: www.example.gov or tx-example.civicplus.com',
  ownOptions: [
    ['--category <names>', 'names or ids of the categories to read, separated by commas, instead of all'],
    IGNORE_ROBOTS,
  ],
  options: [
    ['--base-url <url>', 'another address of the site'],
    ['--since <date>', 'every meeting dated on or after YYYY-MM-DD, instead of the years that the site shows first'],
    ['--jurisdiction <slug>', 'jurisdiction of a site outside the shipped table'],
  ],
};

/** Returns the address of a site by its host. Throws `SyncRefused` for a text that is no host. */
export function siteOfHost(client: string): string {
  const labels = client.toLowerCase().split('.');
  if (labels.length < 2 || labels.some((label) => !/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(label)))
    throw new SyncRefused(`client "${client}" is no host: give that of the site, such as www.example.gov`);
  return `https://${labels.join('.')}`;
}
