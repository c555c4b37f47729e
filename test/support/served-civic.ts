import { expect } from 'vitest';
import {
  type AccountCommand,
  handleAccountCommand,
  issueKey,
  type Tier,
} from '../../commands/accounts/account-decider.ts';
import type { Civic } from '../../src/app/civic.ts';
import { openCivicAt } from '../../src/app/composition.ts';
import type { Scope } from '../../domain/events/account-events.ts';
import { serve } from '../../src/app/serving/serve.ts';
import { readSettings } from '../../src/app/settings.ts';
import { TestClock } from './civic.ts';
import { startFoldedDatabase } from './embedded-database.ts';
import { RAISED_ALLOWANCES } from './service.ts';

/** The program on a database, served over HTTP, with a test clock. */
export interface ServedCivic {
  readonly civic: Civic;
  readonly clock: TestClock;
  readonly baseUrl: string;
  /** Null unless the environment asks for the operator listener. */
  readonly opsUrl: string | null;
  /** A new account, by default paid for a year of the test clock. */
  openAccount(facts?: { readonly tier?: Tier; readonly paidUntil?: string }): Promise<string>;
  issueKey(
    accountId: string,
    options?: { readonly scopes?: readonly Scope[]; readonly expiresAt?: string },
  ): Promise<IssuedKey>;
  /** Runs one command on an account and waits until it can be read. */
  command(accountId: string, command: AccountCommand): Promise<void>;
  ask(
    method: string,
    path: string,
    key: string,
    options?: { readonly body?: unknown; readonly raw?: RequestInit },
  ): Promise<Response>;
  close(): Promise<void>;
}

export interface IssuedKey {
  readonly keyId: string;
  readonly secret: string;
}

const BOTH_SCOPES: readonly Scope[] = ['civic:read', 'civic:export'];
const YEAR_MS = 365 * 86_400_000;
const DEADLINE_MS = 60_000;

/** The same on a new database, which goes with it. */
export async function serveNewCivic(environment: Readonly<Record<string, string>> = {}): Promise<ServedCivic> {
  const database = await startFoldedDatabase();
  try {
    const served = await serveCivic(database.url, environment);
    return {
      ...served,
      async close() {
        await served.close();
        await database.close();
      },
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

export async function serveCivic(
  url: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<ServedCivic> {
  const clock = new TestClock();
  const { settings } = readSettings({
    DATABASE_URL: url,
    CIVIC_SAMPLE: 'off',
    CIVIC_HTTP_PORT: '0',
    CIVIC_OPS_PORT: 'off',
    CIVIC_LOG_LEVEL: 'silent',
    CIVIC_STATEMENT_TIMEOUT: 'PT60S',
    ...RAISED_ALLOWANCES,
    ...environment,
  });
  const civic = await openCivicAt(clock, settings, 'service', []);
  const stopping = new AbortController();
  const banner = Promise.withResolvers<string>();
  civic.startProjector();
  const serving = serve(civic, { role: 'api', stopping: stopping.signal, print: banner.resolve, toTerminal: false });
  const text = await Promise.race([banner.promise, serving.then(() => Promise.reject(new Error('the service ended')))]);

  const command: ServedCivic['command'] = async (accountId, request) => {
    const commandId = civic.identifiers.next();
    const handled = await handleAccountCommand(civic, {
      accountId,
      command: request,
      commandId,
      context: {},
      deadline: clock.now() + DEADLINE_MS,
    });
    if (handled.kind !== 'appended') throw new Error(`${request.type} was ${handled.kind}`);
    await civic.caughtUp(handled.position);
  };

  const baseUrl = /(http:\/\/\S+)/.exec(text)![1]!;
  return {
    civic,
    clock,
    baseUrl,
    opsUrl: /^operators +(http\S+)\/ops/m.exec(text)?.[1] ?? null,
    command,
    async openAccount({ tier = 'pro', paidUntil = new Date(clock.now() + YEAR_MS).toISOString() } = {}) {
      const accountId = civic.identifiers.next();
      await command(accountId, { type: 'OpenAccount', name: 'A customer', channel: 'subscription', tier, paidUntil });
      return accountId;
    },
    async issueKey(accountId, { scopes = BOTH_SCOPES, expiresAt } = {}) {
      const deadline = clock.now() + DEADLINE_MS;
      const { keyId, secret, handled } = await issueKey(civic, {
        accountId,
        scopes,
        expiresAt: expiresAt ?? null,
        context: {},
        deadline,
      });
      if (handled.kind !== 'appended') throw new Error(`the key was ${handled.kind}`);
      await civic.caughtUp(handled.position);
      return { keyId, secret };
    },
    ask(method, path, key, { body, raw } = {}) {
      return fetch(`${baseUrl}/api/v1/data${path}`, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        ...raw,
      });
    },
    async close() {
      stopping.abort(new Error('the test is over'));
      await serving;
      await civic.close();
    },
  };
}

/** The HTML of a page, which must be answered. */
export async function pageOf({ baseUrl }: Pick<ServedCivic, 'baseUrl'>, path: string): Promise<string> {
  const answer = await fetch(`${baseUrl}${path}`, { headers: { accept: 'text/html' } });
  expect([path, answer.status]).toEqual([path, 200]);
  return answer.text();
}
