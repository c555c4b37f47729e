import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { Client } from 'pg';
import { beforeEach, expect, test } from 'vitest';
import { nightlyTest } from '../support/nightly-test.ts';
import { compareMirror } from '../../client/mirror/compare-mirror.ts';
import { openDirectoryStore } from '../../client/mirror/directory-store.ts';
import { type MirrorStore, StoreAway } from '../../client/mirror/mirror-store.ts';
import { openMirrorStore } from '../../client/mirror/open-store.ts';
import { replicate } from '../../client/mirror/replicate.ts';
import { recordId } from '../support/civic-records.ts';
import { FeedService } from '../support/feed-service.ts';
import { mirrorPlaces } from '../support/mirror-places.ts';
import { CHECKOUT } from '../support/production-tree.ts';
import { runMirror } from '../support/run-mirror.ts';

const places = mirrorPlaces();
const { inSchema, administer } = places;
let service: FeedService;
beforeEach(() => {
  service = new FeedService(2);
  for (const number of [1, 2, 3]) service.write('topics', recordId('topics', number), { number });
});

const HOLDER = `import { openDirectoryStore } from '${CHECKOUT}/client/mirror/directory-store.ts';
await openDirectoryStore(process.argv[1]);
process.stdout.write('open');
setInterval(() => {}, 1000);`;

test.each([
  ['in the folder', ''],
  ['where the name of the folder is too long for the address of a socket', 'x'.repeat(120)],
])('a folder has one replicator, whose lock ends with its process, also with a killed one: %s', async (_, name) => {
  const mirror = join(places.folder, name);
  mkdirSync(mirror, { recursive: true });
  const holder = spawn(process.execPath, ['--input-type=module', '-e', HOLDER, mirror], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(holder.stdout, 'data');
  const before = readdirSync(mirror).filter((file) => !file.startsWith('.replicator-'));
  await expect(openDirectoryStore(mirror)).rejects.toThrow(
    /^the folder .* cannot be used: another replicator uses it; run one at a time$/,
  );
  expect(readdirSync(mirror).filter((file) => !file.startsWith('.replicator-'))).toEqual(before);
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  const opened = await openDirectoryStore(mirror);
  await expect(openDirectoryStore(mirror)).rejects.toThrow(/another replicator/);
  await opened.close();
  await (await openDirectoryStore(mirror)).close();
  expect(readdirSync(mirror)).toEqual([]);
});

nightlyTest('of many replicators that open a folder at once, at most one has it', async () => {
  for (let round = 0; round < 5; round += 1) {
    const opened = await Promise.allSettled(Array.from({ length: 8 }, () => openDirectoryStore(places.folder)));
    const owners = opened.filter((each) => each.status === 'fulfilled');
    expect(owners.length).toBeLessThanOrEqual(1);
    for (const { value } of owners) await value.close();
  }
});

test('a missing file of a folder is named with the remedy, which writes it again', async () => {
  const file = join(places.folder, 'topics.ndjson');
  const first = await openMirrorStore(places.folder);
  await runMirror(service, first);
  await first.close();
  rmSync(file);
  service.write('topics', recordId('topics', 1), { number: 9 });
  const store = await openMirrorStore(places.folder);
  const message = `${file} is missing: put it back, or run the same command with --new-snapshot to write every file again`;
  await expect(runMirror(service, store)).rejects.toThrow(message);
  await expect(compareMirror(store, service.digests(4), null)).rejects.toThrow(message);
  expect(await runMirror(service, store, { newSnapshot: true })).toMatchObject({ snapshots: 1 });
  expect(await compareMirror(store, service.digests(4), null)).toMatchObject({ equal: true });
  expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(4);
  await store.close();
});

test('a file of a folder that was cut off is named with the remedy, and a mirror without the sizes continues', async () => {
  const file = join(places.folder, 'topics.ndjson');
  const replica = join(places.folder, 'replica.json');
  const mirrored = async (newSnapshot = false) => {
    const store = await openMirrorStore(places.folder);
    try {
      return await runMirror(service, store, { newSnapshot });
    } finally {
      await store.close();
    }
  };
  await mirrored();
  const whole = statSync(file).size;
  truncateSync(file, whole - 3);
  await expect(mirrored()).rejects.toThrow(
    `${file} has ${whole - 3} bytes, but the mirror wrote ${whole}: put it back, or run the same command with --new-snapshot`,
  );
  expect(await mirrored(true)).toMatchObject({ snapshots: 1 });
  expect(statSync(file).size).toBe(whole);
  const { sizes, ...earlier } = JSON.parse(readFileSync(replica, 'utf8')) as { readonly sizes?: object };
  expect(sizes).toMatchObject({ topics: whole });
  writeFileSync(replica, `${JSON.stringify(earlier)}\n`);
  expect(await mirrored()).toMatchObject({ snapshots: 0 });
});

test('two schemas of a PostgreSQL database hold two mirrors at once; one schema is refused to a second replicator', async () => {
  await administer('create schema one; create schema "Two-B"');
  const one = await openMirrorStore(inSchema('one'));
  const two = await openMirrorStore(inSchema('"Two-B"'));
  for (const store of [one, two]) {
    await runMirror(service, store);
    expect(await compareMirror(store, service.digests(3), null)).toMatchObject({ equal: true });
  }
  await expect(openMirrorStore(inSchema('"Two-B"'))).rejects.toThrow(/another replicator uses its schema/);
  // The lock that an earlier version takes.
  expect(await administer('select pg_try_advisory_lock(6022140760217896) as taken')).toEqual([{ taken: false }]);
  await expect(openMirrorStore(inSchema('no_such'))).rejects.toThrow(/no schema of its search path exists/);
  await one.close();
  await two.close();
});

/** The database at a separate address, which the test can make unreachable. */
async function interruptible(schema: string) {
  const { user, password, host, port, database: name } = new Client({ connectionString: places.databaseUrl });
  const open = new Set<Socket>();
  let away = false;
  const server = createServer((socket) => {
    if (away) return void socket.destroy();
    const target = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    for (const [from, to] of [
      [socket, target],
      [target, socket],
    ] as const) {
      open.add(from);
      from.on('error', () => undefined).on('close', () => to.destroy());
      from.pipe(to);
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `postgres://${user}:${encodeURIComponent(password ?? '')}@${address}/${name}?options=-c%20search_path%3D${schema}`,
    setAway(next: boolean): void {
      away = next;
      if (away) for (const socket of open) socket.destroy();
    },
    close: () => server.close(),
  };
}

nightlyTest(
  'a following mirror outlasts the absence of its PostgreSQL database, says so once for each reason, and loses nothing',
  async () => {
    await administer('create schema away');
    const proxy = await interruptible('away');
    const store = await openMirrorStore(proxy.url);
    /** The reasons that were reported for each. */
    const absences: string[][] = [];
    const stopped = new Error('stopped');
    let [written, waits] = [3, 0];
    const following = replicate({
      ask: service.ask,
      store,
      resource: null,
      once: false,
      pollMs: 1,
      async sleep(milliseconds) {
        if (milliseconds === 1) {
          if (written === 9) throw stopped;
          written += 1;
          service.write('topics', recordId('topics', written), { number: written });
          if (written % 3 !== 0) return;
          absences.push([]);
          proxy.setAway(true);
        } else {
          waits += 1;
          if (milliseconds >= 4000) proxy.setAway(false);
        }
      },
      onProgress: () => undefined,
      onRestart: () => undefined,
      onUnfitPage: () => undefined,
      onStoreAway: (reason) => absences.at(-1)!.push(reason),
    });
    await expect(following).rejects.toBe(stopped);
    expect(await compareMirror(store, service.digests(9), null)).toMatchObject({ equal: true });
    expect(waits).toBeGreaterThanOrEqual(6);
    // The reason for the end of a connection varies with the work in progress; an unchanged reason is not reported
    // again.
    for (const each of absences) {
      expect(each[0]).toMatch(/^the PostgreSQL database is unavailable: /);
      expect(each.filter((reason, index) => reason === each[index - 1])).toEqual([]);
    }
    expect(absences).toHaveLength(2);
    expect(absences.flat().length).toBeLessThan(waits);
    await store.close();
    proxy.close();
  },
);

test('a comparison whose PostgreSQL database goes away says so, and the store can be opened again', async () => {
  await administer('create schema compared');
  const proxy = await interruptible('compared');
  const store = await openMirrorStore(proxy.url);
  await runMirror(service, store);
  const interrupted: MirrorStore = {
    ...store,
    async *records() {
      for await (const record of store.records()) {
        proxy.setAway(true);
        yield record;
      }
    },
  };
  const comparing = compareMirror(interrupted, service.digests(3), null);
  await expect(comparing).rejects.toThrow(StoreAway);
  await expect(comparing).rejects.toThrow(/^the PostgreSQL database is unavailable: /);
  proxy.setAway(false);
  await store.reopen!();
  expect(await compareMirror(store, service.digests(3), null)).toMatchObject({ equal: true });
  await store.close();
  proxy.close();
});

/** The length of a startup message, its protocol, and pairs of texts that end with a NUL character. */
function withoutOptions(startup: Buffer): Buffer {
  const texts = startup.subarray(8).toString().split('\0');
  const publicParts = texts.flatMap((name, at) =>
    at % 2 === 0 && name !== 'options' && name !== '' ? [name, texts[at + 1]!] : [],
  );
  const body = Buffer.from(`${publicParts.join('\0')}\0\0`);
  const head = Buffer.from(startup.subarray(0, 8));
  head.writeInt32BE(body.length + 8, 0);
  return Buffer.concat([head, body]);
}

function refuseSetting(): Buffer {
  const body = Buffer.from('SFATAL\0C08P01\0Munsupported startup parameter in options: civic.session\0\0');
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4, 0);
  return Buffer.concat([Buffer.from('E'), length, body]);
}

test.each([
  ['refuses settings of a session', () => null],
  ['ignores settings of a session', withoutOptions],
])('a PostgreSQL database behind a pooler that %s is refused, and no lock is left', async (_, pass) => {
  const { user, password, host, port, database: name } = new Client({ connectionString: places.databaseUrl });
  const pooler = createServer((socket) => {
    socket
      .on('error', () => undefined)
      .once('data', (startup) => {
        const passed = pass(startup);
        if (passed === null) return void socket.end(refuseSetting());
        const target = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
        target.on('error', () => socket.destroy()).on('close', () => socket.destroy());
        target.write(passed);
        socket.pipe(target).pipe(socket);
      });
  }).listen(0, '127.0.0.1');
  await once(pooler, 'listening');
  const { port: at } = pooler.address() as AddressInfo;
  const url = `postgres://${user}:${encodeURIComponent(password ?? '')}@127.0.0.1:${at}/${name}`;
  await expect(openMirrorStore(url)).rejects.toThrow(
    /^the PostgreSQL database cannot be used: it is behind a connection pooler .* name the server itself$/,
  );
  pooler.close();
  await (await openMirrorStore(places.databaseUrl)).close();
});
