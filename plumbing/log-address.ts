import { z } from 'zod';
import { percentDecoded } from './percent-encoding.ts';

const SCHEME = String.raw`(?:kurrentdb|kurrent|kdb|esdb)(?:\+discover)?`;
const CREDENTIALS = '(?:[^:@/?]+:[^@/?]+@)?';
const HOST = String.raw`[a-z0-9.-]+(?::\d{1,5})?`;
/** "esdb+discover://user:password@host1:2113,host2?tls=true". */
const ADDRESS = new RegExp(String.raw`^${SCHEME}://${CREDENTIALS}${HOST}(?:,${HOST})*/?(?:\?(.*))?$`, 'i');

/**
 * Options that the client accepts in the query of an address. For any other option it logs a warning with the whole
 * address, including the password.
 */
const OPTIONS: ReadonlyMap<string, RegExp> = new Map(
  Object.entries({
    tls: /^(true|false)$/,
    tlsCAFile: /./,
    tlsVerifyCert: /^true$/,
    userCertFile: /./,
    userKeyFile: /./,
    connectionName: /./,
    nodePreference: /^(leader|follower|random|read[_-]?only[_-]?replica)$/i,
    maxDiscoverAttempts: /^\d+$/,
    discoveryInterval: /^\d+$/,
    gossipTimeout: /^\d+$/,
    keepAliveInterval: /^\d{5,}$/,
    keepAliveTimeout: /^\d+$/,
    defaultDeadline: /^[1-9]\d*$/,
  }),
);

function isAddress(text: string): boolean {
  const match = ADDRESS.exec(text);
  if (match === null || percentDecoded(text) === null) return false;
  return (match[1] ?? '')
    .split('&')
    .filter((option) => option !== '')
    .every((option) => {
      const [name = '', ...value] = option.split('=');
      return OPTIONS.get(name)?.test(value.join('=')) ?? false;
    });
}

export const LOG_ADDRESS_ALLOWED =
  'esdb:// or kurrentdb://user:password@host:port,…?tls=true with the options of the client; tlsCAFile instead of tlsVerifyCert=false';

export const logAddress = z.string().refine(isAddress);
export const isKurrentAddress = (text: string): boolean => logAddress.safeParse(text).success;
