import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nightlyTest } from '../support/nightly-test.ts';
import { openDirectoryStore } from '../../client/mirror/directory-store.ts';
import { RejectedFile } from '../../src/cli/rejected-file.ts';
import { derivedId } from '../../domain/identifiers.ts';
import { startEmptyDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { supervisorOf, processesOf } from '../support/embedded-users.ts';
import {
  type Answered,
  type Environment,
  type Installation,
  MAIN,
  makeInstallation,
  remaining,
  runProgram,
  type Service,
  ServiceDidNotStart,
} from '../support/service.ts';

let installation: Installation;
const databases: TestDatabase[] = [];

beforeAll(() => {
  installation = makeInstallation('civic-settings-');
});

afterAll(async () => {
  await installation.close();
  await Promise.all(databases.map((database) => database.close()));
});

const SERVICE_URL =
  'is not usable; allowed is an http or https URL without path, user, password, query and fragment: give the service its own host name';

const opening = (env: Environment, run = installation.civicHere): Promise<Answered> =>
  run(['accounts', 'open', '--name', 'Acme', '--json'], { env });
function oneLine({ exitCode, stdout, stderr }: Answered, status = 1): string {
  expect({ exitCode, stdout }).toEqual({ exitCode: status, stdout: '' });
  expect(stderr).toMatch(/^civic: [^\n]{10,600}\n$/);
  expect(stderr).not.toContain('s3cret');
  return stderr;
}
async function refusal(starting: Promise<Service>): Promise<string> {
  const error = await starting.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ServiceDidNotStart);
  const { exitCode, stderr } = error as ServiceDidNotStart;
  // A start says what it does, and on a busy machine it may warn about a slow database; this is not part of the refusal.
  const messages = stderr.replaceAll(/^\{"level":[34]0,.*\n/gm, '');
  return oneLine({ exitCode, signal: null, stdout: '', stderr: messages });
}

describe('settings', () => {
  test.each([
    ['CIVIC_HTTP_PORT', '99999', 'a port from 0 to 65535'],
    ['CIVIC_HTTP_PORT', 'http', 'a port from 0 to 65535'],
    ['CIVIC_OPS_PORT', 'on', 'or off'],
    ['CIVIC_SAMPLE', 'yes', 'on or off'],
    ['CIVIC_REPLAY_RETENTION', '30 days', 'P30D'],
    ['CIVIC_REPLAY_RETENTION', '-P1D', 'P30D'],
    ['CIVIC_REPLAY_RETENTION', 'P7973Y', 'P36525D at most'],
    ['CIVIC_SNAPSHOT_LIFETIME', 'P', 'P7D'],
    ['CIVIC_STATEMENT_TIMEOUT', '10', 'PT10S'],
    ['CIVIC_SEARCH_CONCURRENCY', '17', 'from 1 to 16'],
    ['CIVIC_POLL', 'Fort Worth', 'client names'],
    ['CIVIC_CLOCK_START', '0001-01-01', 'from 1970-01-01T00:00:00Z to 2200-01-01T00:00:00Z'],
    ['CIVIC_CLOCK_START', '1969-12-31T23:59:59.999Z', 'from 1970-01-01T00:00:00Z to 2200-01-01T00:00:00Z'],
    ['CIVIC_CLOCK_START', '2200-01-01T00:00:00-00:01', 'from 1970-01-01T00:00:00Z to 2200-01-01T00:00:00Z'],
    ['CIVIC_CLOCK_START', '9999-12-31T23:59:59Z', 'from 1970-01-01T00:00:00Z to 2200-01-01T00:00:00Z'],
    ['KAFKA_BROKERS', 'kafka:9092,other', 'host:port'],
    ['CIVIC_KAFKA_FEED_TOPIC', 'my feed', 'a topic'],
    ['CIVIC_LOG_LEVEL', 'loud', 'trace'],
    ['CIVIC_LOG_FORMAT', 'xml', 'pretty or json'],
  ])('%s=%s stops the start with name, value and allowed values', async (name, value, allowed) => {
    const line = oneLine(await opening({ [name]: value }));
    expect(line).toContain(`${name} is ${JSON.stringify(value)}; allowed is `);
    expect(line).toContain(allowed);
  });

  test('a password for Kafka is never shown, and never sent in plain text', async () => {
    const kafka = { KAFKA_BROKERS: '127.0.0.1:9', CIVIC_KAFKA_SASL: 'plain:civic:s3cret' };
    expect(oneLine(await opening(kafka))).toMatch(/CIVIC_KAFKA_SASL is plain, but CIVIC_KAFKA_TLS is off/);
    const bad = oneLine(await opening({ CIVIC_KAFKA_SASL: 'md5:civic:s3cret' }));
    expect(bad).toContain('CIVIC_KAFKA_SASL is not usable');
    expect(bad).not.toContain('s3cret');
  });

  test.each(['legistar:nyc', 's3cret', 'legistar:nyc=s3cret,seattle', 'legistar:nyc=s3cret two', 'NYC=s3cret'])(
    'tokens of sources in another form stop the start, and are not shown: %s',
    async (tokens) => {
      expect(oneLine(await opening({ CIVIC_SOURCE_TOKENS: tokens }))).toBe(
        'civic: CIVIC_SOURCE_TOKENS is not usable; allowed is clients with their tokens such as legistar:nyc=TOKEN, separated by commas\n',
      );
    },
  );

  test('a token of a source that takes none stops the start', async () => {
    const line = oneLine(await opening({ CIVIC_SOURCE_TOKENS: 'civicweb:examplecity=s3cret' }));
    expect(line).toContain('CIVIC_SOURCE_TOKENS names the source civicweb, whose clients do not use tokens');
  });

  test('an address of an event store that does not decode stops the start, without its password', async () => {
    const line = oneLine(await opening({ EVENTSTORE_URL: 'esdb://me:s3cret%zz@store.example:2113?tls=false' }));
    expect(line).toContain('EVENTSTORE_URL is not usable; allowed is esdb://');
  });

  test.each([
    'civic.example.org',
    'http://me@a.example',
    'http://me:s3cret@a.example',
    'http://a.example/?key=s3cret',
    'http://a.example/#s3cret',
    'file:///etc/passwd',
  ])('a published address is neither %s nor shown', async (address) => {
    const allowed = 'is not usable; allowed is an http or https URL without user, password, query and fragment';
    const place = ['--client', 'a', '--jurisdiction', 'a', '--name', 'A', '--time-zone', 'UTC'];
    const adding = ['sources', 'add', 'legistar', ...place, '--base-url', address];
    const syncing = ['sources', 'sync', 'legistar', '--client', 'cityofdallas', '--base-url', address];
    expect(oneLine(await opening({ CIVIC_BASE_URL: address }))).toBe(`civic: CIVIC_BASE_URL ${SERVICE_URL}\n`);
    expect(oneLine(await installation.civicHere(adding), 2)).toBe(`civic: --base-url ${allowed}\n`);
    expect(oneLine(await installation.civicHere(syncing), 2)).toBe(`civic: --base-url ${allowed}\n`);
  });

  test.each(['https://example.org/civic', 'https://example.org/civic/'])(
    'a base URL with a path, such as %s, stops the start',
    async (address) => {
      expect(oneLine(await opening({ CIVIC_BASE_URL: address }))).toBe(`civic: CIVIC_BASE_URL ${SERVICE_URL}\n`);
    },
  );

  test('an unknown name is a warning that lists the known ones, and the command continues', async () => {
    const { exitCode, stdout, stderr } = await opening({ CIVIC_HTTP_PROT: '1' });
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toHaveProperty('accountId');
    expect(stderr).toContain('unknown setting CIVIC_HTTP_PROT; known are CIVIC_HTTP_HOST');
  });

  test('a .env file in the working directory is read, and the environment takes precedence', async () => {
    writeFileSync(join(installation.folder, '.env'), 'CIVIC_SAMPLE=perhaps\n');
    try {
      expect(oneLine(await opening({}, installation.civic))).toContain('CIVIC_SAMPLE is "perhaps"');
      expect((await opening({ CIVIC_SAMPLE: 'off' }, installation.civic)).exitCode).toBe(0);
    } finally {
      rmSync(join(installation.folder, '.env'));
    }
  });
});

describe('a database of the user', () => {
  const database = async (): Promise<TestDatabase> => {
    const database = await startEmptyDatabase();
    databases.push(database);
    return database;
  };
  const on = async (url: string, ...statements: readonly string[]): Promise<void> => {
    const client = new Client({ connectionString: url });
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  };

  test.each([
    ['no address at all', 'nonsense', 'postgres://user:password@host:port/database'],
    ['an address that does not decode', 'postgres://%zz', 'postgres://user:password@host:port/database'],
    [
      'a password that does not decode',
      'postgres://me:s3cret%ff@127.0.0.1:1/civic',
      'postgres://user:password@host:port/database',
    ],
    ['a port where nobody listens', 'postgres://me:s3cret@127.0.0.1:1/civic', '127.0.0.1:1/civic could not be reached'],
    ['a host that there is none of', 'postgres://me:s3cret@database.invalid/civic', 'could not be reached'],
  ])('%s is one line', async (_, url, message) => {
    expect(oneLine(await opening({ DATABASE_URL: url }))).toContain(message);
  });

  test('one that does not exist is one line', async () => {
    const { url } = await database();
    const line = oneLine(await opening({ DATABASE_URL: url.replace(/\/[^/]*$/, '/nowhere') }));
    expect(line).toContain('nowhere does not exist; create it or correct DATABASE_URL');
  });

  test('one that another program uses is refused and left as it was', async () => {
    const { url } = await database();
    await on(url, 'create table theirs (id int)');
    expect(oneLine(await opening({ DATABASE_URL: url }))).toContain('contains tables of another program');
    await on(url, 'drop table theirs');
    expect((await opening({ DATABASE_URL: url })).exitCode).toBe(0);
  });

  test('one that a newer version wrote is refused', async () => {
    const { url } = await database();
    expect((await opening({ DATABASE_URL: url })).exitCode).toBe(0);
    await on(url, `insert into civic.migrations (name, run_on) values ('9999-later', '2030-01-01')`);
    expect(oneLine(await opening({ DATABASE_URL: url }))).toContain(
      'was written by a newer version (it has the migration 9999-later)',
    );
  });

  test('one in use by the service starts no PostgreSQL and no sample, and the service answers', async () => {
    const { url } = await database();
    const service = await installation.start({
      env: { DATABASE_URL: url, CIVIC_SAMPLE: '', CIVIC_DATA_DIR: join(installation.folder, 'unused') },
    });
    expect(service.key).toBeNull();
    expect(processesOf(join(installation.folder, 'unused'))).toEqual([]);
    expect((await fetch(`${service.opsUrl}/readyz`)).status).toBe(200);
    expect((await service.stop()).exitCode).toBe(0);
  });
});

describe('ports and folders', () => {
  nightlyTest('a port in use is one line that names the setting', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const port = String((other.address() as AddressInfo).port);
    try {
      expect(await refusal(installation.start({ env: { CIVIC_HTTP_PORT: port } }))).toContain(
        `127.0.0.1:${port} is in use`,
      );
      expect(await refusal(installation.start({ env: { CIVIC_OPS_PORT: port } }))).toContain('CIVIC_OPS_PORT');
    } finally {
      other.close();
    }
  });

  nightlyTest('a second service on the folder is refused with one line, and the first continues', async () => {
    const service = await installation.start();
    const supervisor = supervisorOf(installation.dataDir);
    expect(await refusal(installation.start())).toContain(
      `a service already runs on this data directory (process ${service.pid})`,
    );
    expect(supervisorOf(installation.dataDir)).toBe(supervisor);
    expect((await fetch(`${service.opsUrl}/readyz`)).status).toBe(200);
    expect((await service.stop()).exitCode).toBe(0);
  });

  test.each(['/dev/null', '/dev/null/data', '/proc/data'])('the folder %s is refused with one line', async (folder) => {
    expect(oneLine(await opening({ CIVIC_DATA_DIR: folder }))).toContain(folder);
  });

  test('a folder with other files is refused and unchanged', async () => {
    const folder = join(installation.folder, 'theirs');
    mkdirSync(folder);
    writeFileSync(join(folder, 'letter.txt'), 'theirs');
    expect(oneLine(await opening({ CIVIC_DATA_DIR: folder }))).toContain('letter.txt');
  });

  const nobody = ['--reuid=65534', '--regid=65534', '--clear-groups'];
  const mayBecomeNobody = (): boolean =>
    process.getuid?.() === 0 &&
    spawnSync('setpriv', [...nobody, process.execPath, '--version']).status === 0 &&
    spawnSync('setpriv', [...nobody, 'test', '-r', MAIN]).status === 0;

  nightlyTest('a folder that this user cannot write is one line', async (context) => {
    if (!mayBecomeNobody())
      return context.skip('needs root, setpriv, and a checkout that every user may read, to try it as another user');
    const folder = join(installation.folder, 'roots-own');
    mkdirSync(folder, { mode: 0o755 });
    chmodSync(installation.folder, 0o755);
    const command = ['setpriv', ...nobody, process.execPath, MAIN, 'accounts', 'open', '--name', 'Acme'];
    const env = installation.environment({ CIVIC_DATA_DIR: folder, HOME: installation.folder });
    const line = oneLine(await runProgram(command, { cwd: installation.folder, env }).ended);
    expect(line).toContain('cannot be used by user 65534');
  });
});

function canMount(): boolean {
  const folder = join(installation.folder, 'try');
  mkdirSync(folder, { recursive: true });
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]).status === 0;
  if (mounted) spawnSync('umount', [folder]);
  return mounted;
}

describe('a full disk', () => {
  test('ends an import with one line, loses nothing acknowledged, and allows writes when space is free', async (context) => {
    if (!canMount())
      return context.skip('a small file system cannot be mounted here: run as root where mounting is allowed');
    const disk = join(installation.folder, 'disk');
    const ballast = join(disk, 'ballast');
    mkdirSync(disk);
    expect(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=160m,mode=755', 'tmpfs', disk]).status).toBe(0);
    const env = { CIVIC_DATA_DIR: join(disk, 'data') };
    const importing = (name: string, count: number, run = installation.civicHere): Promise<Answered> => {
      const path = join(installation.folder, `${name}.ndjson`);
      const lines = Array.from({ length: count }, (_, number) => {
        const data = {
          kind: 'agenda',
          title: `${name} ${number} ${'long '.repeat(200)}`,
          url: 'https://example.org/a.pdf',
        };
        return `${JSON.stringify({ op: 'upsert', resource: 'documents', id: derivedId(name, number), data })}\n`;
      });
      writeFileSync(path, lines.join(''));
      return run(['records', 'import', path, '--json'], { env });
    };
    try {
      expect((await importing('kept', 100)).exitCode).toBe(0);
      spawnSync('dd', ['if=/dev/zero', `of=${ballast}`, 'bs=1M', 'count=400']);
      const failed = await importing('lost', 20_000, installation.civic);
      expect(failed.exitCode).toBe(1);
      expect(failed.stderr.split('\n').filter((line) => line.startsWith('civic: '))).toHaveLength(1);
      expect(failed.stderr).toMatch(/disk|space/i);
      rmSync(ballast);
      expect(await remaining(env.CIVIC_DATA_DIR)).toEqual([]);
      const exported = await installation.civicHere(['records', 'export'], { env });
      expect(exported.exitCode).toBe(0);
      expect(exported.stdout.split('\n').filter((line) => line.includes('"title":"kept '))).toHaveLength(100);
      expect((await importing('again', 100)).exitCode).toBe(0);
    } finally {
      await remaining(env.CIVIC_DATA_DIR);
      spawnSync('umount', [disk]);
    }
  });

  nightlyTest('is reported with the file of refused lines and the folder of a mirror', async (context) => {
    if (!canMount())
      return context.skip('a small file system cannot be mounted here: run as root where mounting is allowed');
    const disk = join(installation.folder, 'small');
    mkdirSync(disk);
    expect(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=256k,mode=755', 'tmpfs', disk]).status).toBe(0);
    try {
      const refused = await RejectedFile.beside(join(disk, 'a'));
      const mirror = await openDirectoryStore(join(disk, 'mirror'));
      const long = Buffer.alloc(1 << 20, 'x');
      await refused.add({ number: 1, bytes: Buffer.from('x'), length: 1 }, 'bad');
      const upserts = [
        { resource: 'topics', id: derivedId('full', 1), data: JSON.stringify({ title: long.toString() }) },
      ];
      const commit = { state: { phase: 'changes', cursor: 'x' }, upserts, removes: [] } as const;
      await expect(mirror.commit(commit)).rejects.toThrow(
        `the folder ${join(disk, 'mirror')} cannot be written: ENOSPC`,
      );
      await expect(refused.add({ number: 2, bytes: long, length: long.length }, 'bad')).rejects.toThrow(
        `the refused lines cannot all be written to ${refused.path}: ENOSPC`,
      );
      await refused.close().catch(() => undefined);
      await mirror.close();
    } finally {
      // Handles that a failure leaves open do not keep the process alive.
      spawnSync('umount', ['--lazy', disk]);
    }
  });
});
