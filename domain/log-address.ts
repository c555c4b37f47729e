import { z } from 'zod';
import { percentDecoded } from './percent-encoding.ts';

const ADDRESS =
  /^(?:kurrentdb|kurrent|kdb|esdb)(?:\+discover)?:\/\/(?:[^:@/?]+:[^@/?]+@)?[a-z0-9.-]+(?::\d{1,5})?(?:,[a-z0-9.-]+(?::\d{1,5})?)*\/?(?:\?(.*))?$/i;

/** The client's options in the query of an address. For others the client logs a warning with the whole address, password included. */
const OPTIONS: Readonly<Record<string, RegExp>> = {
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
};

function isAddress(text: string): boolean {
  const found = ADDRESS.exec(text);
  if (found === null || percentDecoded(text) === null) return false;
  return (found[1] ?? '')
    .split('&')
    .filter((option) => option !== '')
    .every((option) => {
      const [name = '', ...value] = option.split('=');
      return Object.hasOwn(OPTIONS, name) && OPTIONS[name]!.test(value.join('='));
    });
}

export const LOG_ADDRESS_ALLOWED =
  'esdb:// or kurrentdb://user:password@host:port,…?tls=true with the options of the client; tlsCAFile instead of tlsVerifyCert=false';

export const logAddress = z.string().refine(isAddress);
export const isKurrentAddress = (text: string): boolean => logAddress.safeParse(text).success;
