import { IGNORE_ROBOTS, type Source } from '../source.ts';

export const CIVICCLERK: Source = {
  description: 'a client of CivicClerk',
  client: 'the client as its addresses name it: tulsacook of tulsacook.portal.civicclerk.com',
  ownOptions: [IGNORE_ROBOTS],
  options: [
    ['--base-url <url>', 'another host of the event service, or its address with a path that ends in /v1'],
    ['--since <date>', 'every meeting dated on or after YYYY-MM-DD, instead of all'],
    ['--jurisdiction <slug>', 'jurisdiction of a client outside the shipped table'],
  ],
};
