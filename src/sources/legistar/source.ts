import { type Source, SyncRefused } from '../source.ts';

export const LEGISTAR: Source = {
  description: 'a client of the Legistar Web API',
  client: 'the client as its Web API names it',
  options: [
    ['--base-url <url>', 'another address of the Web API; it ends in /v1'],
    ['--from <folder>', 'read recorded responses from <folder>/<client> instead'],
    ['--since <date>', 'every event dated on or after YYYY-MM-DD, instead of recently modified ones'],
    ['--jurisdiction <slug>', 'jurisdiction of a client outside the shipped table'],
  ],
  check: ({ baseUrl, from }) => {
    if (baseUrl !== undefined && from !== undefined) throw new SyncRefused('give --base-url or --from, not both');
  },
};
