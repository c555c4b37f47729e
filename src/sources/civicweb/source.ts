import { IGNORE_ROBOTS, type Source } from '../source.ts';

export const CIVICWEB: Source = {
  description: 'a CivicWeb portal, such as that of Dallas County',
  client: 'the portal as its address names it: dallascounty of dallascounty.civicweb.net',
  ownOptions: [IGNORE_ROBOTS],
  options: [
    ['--base-url <url>', 'another address of the portal'],
    ['--since <date>', 'every meeting dated on or after YYYY-MM-DD, instead of all'],
    ['--jurisdiction <slug>', 'jurisdiction of a portal outside the shipped table'],
  ],
};
