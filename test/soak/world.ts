import { openLinkedLog, type LinkedLog } from './linked-log.ts';
import { type Installation, makeInstallation } from '../support/service.ts';
import { openTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { type Link, openLinks } from './links.ts';
import { openSoakDatabase, type SoakDatabase } from './database.ts';
import { Disturbances } from './disturbances.ts';
import { Failures } from './failures.ts';
import { Member } from './member.ts';
import { PublishedFeed } from './published-feed.ts';
import type { SoakPlan } from './soak-plan.ts';

/** All processes of a soak and their state. */
export interface World {
  readonly plan: SoakPlan;
  readonly installation: Installation;
  readonly database: SoakDatabase;
  readonly members: readonly Member[];
  /** The connection of the writers and operator commands to the database. */
  readonly commandLink: Link;
  readonly log: LinkedLog;
  /** One address for all API processes; each connection goes to a running one. */
  readonly front: TcpProxy;
  readonly published: PublishedFeed;
  readonly disturbances: Disturbances;
  readonly failures: Failures;
  /** The count of each answer of each operation. */
  readonly answers: Map<string, number>;
  api(): readonly Member[];
  close(): Promise<void>;
}

/** Makes the database, the proxies and the processes, and starts them. */
export async function openWorld(plan: SoakPlan): Promise<World> {
  const closers: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const closer of closers.splice(0).toReversed()) await closer();
  };
  const links = openLinks();
  closers.push(() => links.close());
  const commandLink = await links.open();
  const settings: Record<string, string> = { CIVIC_SAMPLE: 'off' };
  const installation = makeInstallation('civic-soak-', settings);
  closers.push(() => installation.close());
  try {
    const database = await openSoakDatabase(installation.dataDir);
    closers.push(() => database.leave());
    const urlOf = ({ port }: Link): string => {
      const url = new URL(database.url);
      return `postgres://${url.username}:${url.password}@127.0.0.1:${port}${url.pathname}`;
    };
    settings['DATABASE_URL'] = urlOf(commandLink);
    const disturbances = new Disturbances();
    const failures = new Failures();
    const member = async (name: string, role: Member['role']): Promise<Member> => {
      const link = await links.open();
      return new Member({ name, role, installation, link, databaseUrl: urlOf(link), disturbances, failures });
    };
    const members: Member[] = [];
    for (let at = 1; at <= plan.projectors; at += 1) members.push(await member(`projector-${at}`, 'projector'));
    members.push(await member('worker-1', 'worker'));
    for (let at = 1; at <= plan.api; at += 1) members.push(await member(`api-${at}`, 'api'));
    const api = (): readonly Member[] => members.filter(({ role }) => role === 'api');
    links.leadTo(database.url);
    let turn = 0;
    const front = await openTcpProxy(() => {
      const up = api().filter(({ baseUrl }) => baseUrl !== null);
      const chosen = up[(turn += 1) % up.length];
      return { host: '127.0.0.1', port: Number(new URL(chosen?.baseUrl ?? 'http://127.0.0.1:1').port) };
    });
    closers.push(() => front.goDown());
    const log = openLinkedLog(urlOf(commandLink));
    closers.push(() => log.close());
    const [first, ...others] = members;
    // The first one makes the schema.
    await first!.start();
    await Promise.all(others.map((each) => each.start()));
    closers.push(() => Promise.all(members.map((each) => each.end('SIGKILL'))));
    const published = new PublishedFeed();
    const answers = new Map<string, number>();
    return {
      plan,
      installation,
      database,
      members,
      commandLink,
      log,
      front,
      published,
      disturbances,
      failures,
      answers,
      api,
      close,
    };
  } catch (error) {
    await close().catch(() => undefined);
    throw error;
  }
}
