import { IGNORE_ROBOTS, type Source, SyncRefused } from '../source.ts';

export const SWAGIT: Source = {
  description: 'recordings of meetings on Swagit, with the items of their agendas',
  client: 'the tenant as its address names it: examplecotx of examplecotx.new.swagit.com',
  ownOptions: [
    ['--view <ids>', 'views to read, separated by commas: 128 of /views/128; the default view without it'],
    IGNORE_ROBOTS,
  ],
  options: [
    ['--base-url <url>', 'another address of the site'],
    ['--since <date>', 'every meeting dated on or after YYYY-MM-DD, instead of those of the last two years'],
    ['--jurisdiction <slug>', 'jurisdiction of a tenant outside the shipped table'],
  ],
};

/** Returns the address of a tenant. Throws `SyncRefused` for a host in place of its name. */
export function siteOfTenant(client: string): string {
  if (/^[A-Za-z0-9-]+$/.test(client)) return `https://${client}.new.swagit.com`;
  throw new SyncRefused(`client "${client}" is no tenant: give the name before .new.swagit.com`);
}
