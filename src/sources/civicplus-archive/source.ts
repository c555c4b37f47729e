import { IGNORE_ROBOTS, type Source } from '../source.ts';

export const CIVICPLUS_ARCHIVE: Source = {
  description: 'lists of an Archive Center of CivicPlus (Archive.aspx)',
  client: 'the host of the site: www.example.gov',
  ownOptions: [
    ['--amid <ids>', 'ids of the lists to read, separated by commas: 53 of Archive.aspx?AMID=53'],
    IGNORE_ROBOTS,
  ],
  options: [
    ['--base-url <url>', 'another address of the site'],
    [
      '--since <date>',
      'every meeting dated on or after YYYY-MM-DD, instead of those of the last two years of the list',
    ],
    ['--jurisdiction <slug>', 'jurisdiction of a site outside the shipped table'],
  ],
};
