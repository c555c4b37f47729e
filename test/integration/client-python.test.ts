import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nightlyTest } from '../support/nightly-test.ts';
import { PROTOCOL_VERSIONS } from '../../contract/post-mcp-json-rpc.ts';
import { encodeFeedCursor } from '../../domain/cursor.ts';
import { canonicalJson } from '../../domain/digests.ts';
import { randomChanges, randomFrom } from '../support/civic-records.ts';
import { CHECKOUT } from '../support/production-tree.ts';
import { type Environment, type Installation, plainEnvironment, runProgram, type Service } from '../support/service.ts';
import { makeSharedInstallation } from '../support/shared-installation.ts';
import { testSeed } from '../support/test-seed.ts';

const FILE = join(CHECKOUT, 'clients/python/civic_records.py');
const missing = spawnSync('python3', ['--version']).status !== 0;

/** Runs Python with the client on its path. */
function python(
  args: readonly string[],
  { env = {}, input }: { readonly env?: Environment; readonly input?: string } = {},
) {
  const PYTHONPATH = join(CHECKOUT, 'clients/python');
  const all = { ...plainEnvironment(), PYTHONPATH, PYTHONDONTWRITEBYTECODE: '1', PYTHONWARNINGS: 'error', ...env };
  return runProgram(['python3', ...args], { cwd: CHECKOUT, env: all, input }).ended;
}

async function printed(program: string, options?: Parameters<typeof python>[1]): Promise<unknown> {
  const { exitCode, stdout, stderr } = await python(
    ['-c', `import json, os, sys\nfrom civic_records import *\n${program}`],
    options,
  );
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return JSON.parse(stdout);
}

describe.skipIf(missing)('the Python client (needs python3)', () => {
  function inDatabase<Result>(file: string, work: (database: DatabaseSync) => Result): Result {
    const database = new DatabaseSync(file);
    try {
      return work(database);
    } finally {
      database.close();
    }
  }

  describe('without a service', () => {
    nightlyTest('writes canonical JSON as the service does', async () => {
      const number = fc.double({ noNaN: true, noDefaultInfinity: true });
      const text = fc.string({ unit: 'binary' });
      const value = fc.letrec((tie) => ({
        value: fc.oneof(
          { maxDepth: 3 },
          fc.constantFrom(null, true, 0, -0, 1e21, 1e-7, 2 ** 53),
          number,
          fc.integer(),
          text,
          tie('list'),
          tie('map'),
        ),
        list: fc.array(tie('value'), { maxLength: 4 }),
        map: fc.dictionary(text, tie('value'), { maxKeys: 4 }),
      })).value;
      const values = fc.sample(value, { numRuns: 1000, seed: testSeed() });
      const texts = await printed('json.dump([canonical(value) for value in json.load(sys.stdin)], sys.stdout)', {
        input: JSON.stringify(values),
      });
      expect(texts).toEqual(values.map((each) => canonicalJson(each)));
    });

    nightlyTest('calls tools in the current revision of the protocol', async () => {
      expect(await printed('print(json.dumps(TOOL_PROTOCOL))')).toBe(PROTOCOL_VERSIONS[0]);
    });

    async function against<Result>(
      listener: RequestListener,
      work: (address: string) => Promise<Result>,
    ): Promise<Result> {
      const server = createServer(listener).listen(0, '127.0.0.1');
      await once(server, 'listening');
      try {
        return await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
      } finally {
        server.close();
      }
    }
    const refused = '{"error":{"code":"rate_limited","message":"no","details":{"left":0}}}';

    nightlyTest(
      'asks for half as many items where a page is too large, and for twice as many after eight pages that fit',
      async () => {
        const requestsOf = (limit: string, pages: number, refusals: number) =>
          printed(`
class Refusing(Civic):
    def request(self, method, path, body=None, headers=None, **query):
        self.limits.append(query.get("limit"))
        if len(self.limits) <= ${refusals}:
            raise CivicError("response_too_large", "too large", 413)
        number = len(self.limits) - ${refusals}
        return {"data": {"items": [number]}, "meta": {"nextCursor": str(number), "hasMore": number < ${pages}}}
civic = Refusing("http://127.0.0.1")
civic.limits = []
try:
    items = len(list(civic.changes(page_size=${limit})))
except CivicError as error:
    items = error.code
print(json.dumps([items, civic.limits]))`);
        expect(await requestsOf('9', 10, 2)).toEqual([10, [9, 4, ...Array<number>(8).fill(2), 4, 4]]);
        expect(await requestsOf('None', 10, 1)).toEqual([10, [null, ...Array<number>(8).fill(50), null, null]]);
        expect(await requestsOf('4000', 1, 1)).toEqual([1, [4000, 250]]);
        expect(await requestsOf('5', 1, 9)).toEqual(['response_too_large', [5, 2, 1]]);
      },
    );

    test('waits as long as Retry-After says, for a limited number of attempts and a limited time', async () => {
      const replies = ['3', '4', '5', '61'];
      const listener: RequestListener = (_, response) =>
        response.writeHead(429, { 'retry-after': replies.shift()!, 'x-request-id': 'r1' }).end(refused);
      const output = await against(listener, (BASE) =>
        printed(
          `pauses = []
def refusal(**settings):
    try: Civic(os.environ["BASE"], sleep=pauses.append, **settings).request("GET", "/")
    except CivicError as error: return [error.code, error.status, error.details, error.request_id, error.retry_after, pauses[:]]
print(json.dumps([refusal(retries=2), refusal()]))`,
          { env: { BASE } },
        ),
      );
      const error = ['rate_limited', 429, { left: 0 }, 'r1'];
      expect(output).toEqual([
        [...error, 5, [3, 4]],
        [...error, 61, [3, 4]],
      ]);
    });

    nightlyTest('repeats a request whose answer was cut off', async () => {
      const replies = ['{"data":', '{"data":1}'];
      const listener: RequestListener = (_, response) =>
        response.writeHead(200, { 'content-type': 'application/json' }).end(replies.shift());
      const program = 'print(json.dumps(Civic(os.environ["BASE"], max_pause=0).request("GET", "/")))';
      expect(await against(listener, (BASE) => printed(program, { env: { BASE } }))).toEqual({ data: 1 });
    });

    nightlyTest('compares a copy once the service can read its feed again, and says so where it cannot', async () => {
      let unreadable = 2;
      const listener: RequestListener = ({ url }, response) => {
        const answers = {
          snapshots: { data: { counts: {}, digests: {}, boundaryCursor: 'a' } },
          changes: { data: { items: [] }, meta: { nextCursor: 'a', hasMore: false } },
          health: { data: { pipeline: { head: unreadable > 0 ? null : { cursor: 'a', digests: {} } } } },
        };
        const name = /\/(snapshots|changes|health)/.exec(url!)![1] as keyof typeof answers;
        if (name === 'health') unreadable -= 1;
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answers[name]));
      };
      const output = await against(listener, (BASE) =>
        printed(
          `import tempfile
def copied(**settings):
    pauses = []
    try:
        with tempfile.TemporaryDirectory() as folder:
            return [replicate(Civic(os.environ["BASE"], sleep=pauses.append, **settings), folder + "/copy.db"), len(pauses)]
    except CivicError as error: return [error.code, len(pauses)]
print(json.dumps([copied(retries=0), copied(retries=1)]))`,
          { env: { BASE } },
        ),
      );
      expect(output).toEqual([
        ['feed_unavailable', 0],
        [0, 1],
      ]);
    });

    nightlyTest('refuses pages that are none or lead back to themselves, and reads any Retry-After', async () => {
      const replies = ['[]', '{"data":{"items":[]},"meta":{"nextCursor":"a","hasMore":true}}'];
      let requests = 0;
      const listener: RequestListener = (_, response) => {
        if (requests++ > 9) response.writeHead(429, { 'retry-after': '\u00b2' }).end(refused);
        else response.writeHead(200, { 'content-type': 'application/json' }).end(replies[Math.min(requests - 1, 1)]);
      };
      const program = `civic = Civic(os.environ["BASE"], retries=0)
def refusal(cursor):
    try: list(civic.changes(cursor))
    except CivicError as error: return [error.code, error.retry_after]
seen = [refusal(None), refusal(None)]
while seen[-1][0] == "unknown": seen.append(refusal("a"))
print(json.dumps([*seen[:3], seen[-1]]))`;
      expect(await against(listener, (BASE) => printed(program, { env: { BASE } }))).toEqual([
        ['not_json', null],
        ['unknown', null],
        ['unknown', null],
        ['rate_limited', null],
      ]);
    });

    test('leaves no byte of a text that was erased in the files of a copy, also where it was killed after it read that', async () => {
      const program = `import pathlib, random, tempfile
class Feed:
    "A snapshot without records, and changes that were not read yet."
    pages = []
    def take_snapshot(self): return {"boundaryCursor": "0", "counts": {}}
    def change_pages(self, cursor, resource): return [self.pages.pop()] if self.pages else []
feed, chosen = Feed(), random.Random(int(os.environ["SEED"]))
def left(killed):
    folder = tempfile.TemporaryDirectory()
    mirror = Mirror(folder.name + "/copy.db")
    def change(ids, text):
        items = [{"resource": "topics", "recordId": str(at), "operation": "upsert", "data": {"text": text * chosen.randrange(1, 60)}} for at in ids]
        feed.pages.append({"data": {"items": items}, "meta": {"nextCursor": text}})
        mirror.synchronise(feed)
        return sum(file.read_bytes().count(b"Quillfeather") for file in pathlib.Path(folder.name).iterdir())
    ids = chosen.sample(range(120), 120)
    counts = [change(ids[at:at + 10], "Quillfeather ") for at in range(0, 120, 10)]
    if killed: mirror._tidy = lambda: None
    counts.append(change(ids, "x"))
    if killed:
        mirror.close()
        mirror = Mirror(folder.name + "/copy.db")
        counts.append(change([], "x"))
    mirror.close()
    folder.cleanup()
    return [counts[0] > 0, counts[-1]]
print(json.dumps([left(killed) for killed in [False, True] * 5]))`;
      expect(await printed(program, { env: { SEED: `${testSeed()}` } })).toEqual(
        Array.from({ length: 10 }, () => [true, 0]),
      );
    });

    test('continues an interrupted copy without another snapshot, also where the mirror has an older one', async () => {
      const program = `import tempfile
class Feed:
    "A snapshot of two resources whose pages have one record, and which is lost after some pages."
    names, snapshots, read, left, text = ("meetings", "topics"), 0, [], 0, "a"
    def records(self, name): return [{"id": str(at), "text": self.text} for at in range(3)]
    def digest(self, name): return f"{sum(record_digest(name, each['id'], canonical(each)) for each in self.records(name)) % 2 ** 256:064x}"
    def take_snapshot(self):
        self.snapshots += 1
        digests = {name: self.digest(name) for name in self.names}
        return {"snapshotId": str(self.snapshots), "boundaryCursor": "0", "counts": dict.fromkeys(self.names, 3), "digests": digests}
    def snapshot_pages(self, snapshot, resource, cursor):
        for at in range(int(cursor or 0), 3):
            if self.left == 0: raise CivicError("no_answer", "lost")
            self.left -= 1
            self.read.append(resource[0] + str(at))
            yield {"data": {"items": [self.records(resource)[at]]}, "meta": {"hasMore": at < 2, "nextCursor": str(at + 1)}}
    def change_pages(self, cursor, resource): return []
feed, seen = Feed(), []
def run(pages, **options):
    feed.left, feed.read = pages, []
    mirror = Mirror(folder + "/copy.db")
    try: mirror.synchronise(feed, **options)
    except (CivicError, ValueError) as error: feed.read.append(str(error)[:22])
    texts = {json.loads(data)["text"] for _, _, data in mirror.records()}
    mirror.close()
    seen.append([feed.snapshots, feed.read, sorted(texts)])
with tempfile.TemporaryDirectory() as folder:
    run(2), run(2), run(9, resource="topics"), run(9)
    feed.text = "b"
    run(1, new_snapshot=True), run(9)
    run(1, new_snapshot=True, resource="topics"), run(9, resource="topics")
print(json.dumps(seen))`;
      expect(await printed(program)).toEqual([
        [1, ['m0', 'm1', 'no_answer: lost'], []],
        [1, ['m2', 't0', 'no_answer: lost'], []],
        [1, ['the mirror holds every'], []],
        [1, ['t1', 't2'], ['a']],
        [2, ['m0', 'no_answer: lost'], ['a']],
        [2, ['m1', 'm2', 't0', 't1', 't2'], ['b']],
        [3, ['t0', 'no_answer: lost'], ['b']],
        [3, ['t1', 't2'], ['b']],
      ]);
    });

    test('yields as many items as its limit, from pages that have no more', async () => {
      const program = `class Paged(Civic):
    def request(self, method, path, body=None, headers=None, **query):
        self.sizes.append(body["params"]["arguments"].get("limit") if body else query.get("limit"))
        if body: return {"result": {"structuredContent": {"data": {"results": [1, 2, 3], "nextCursor": str(len(self.sizes))}}}}
        return {"data": {"items": [1, 2]}, "meta": {"nextCursor": str(len(self.sizes)), "hasMore": True}}
def asked(work):
    civic.sizes = []
    return [len(list(work())), civic.sizes]
civic = Paged("http://127.0.0.1")
print(json.dumps([
    asked(lambda: civic.search("zoning OR budget", limit=5)), asked(lambda: civic.search("zoning", limit=4, page_size=3)),
    asked(lambda: civic.search("zoning", limit=0)), asked(lambda: civic.search("zoning", limit=25)),
    asked(lambda: civic.changes(limit=3)), asked(lambda: civic.snapshot_records("s", "topics", limit=2, page_size=2)),
]))`;
      expect(await printed(program)).toEqual([
        [5, [5, 5]],
        [4, [3, 3]],
        [0, []],
        [25, Array(9).fill(20)],
        [3, [3, 3]],
        [2, [2]],
      ]);
    });

    nightlyTest('takes little more room than its records', async () => {
      const program = `import pathlib, tempfile
class Feed:
    "A snapshot of 300 topics."
    topics = [{"id": str(at), "text": "x" * 1200} for at in range(300)]
    digest = f"{sum(record_digest('topics', topic['id'], canonical(topic)) for topic in topics) % 2 ** 256:064x}"
    def take_snapshot(self): return {"snapshotId": "0", "boundaryCursor": "0", "counts": {"topics": 300}, "digests": {"topics": self.digest}}
    def snapshot_pages(self, snapshot, resource, cursor): return [{"data": {"items": self.topics}, "meta": {}}]
    def change_pages(self, cursor, resource): return []
with tempfile.TemporaryDirectory() as folder:
    mirror = Mirror(folder + "/copy.db")
    mirror.synchronise(Feed())
    mirror.close()
    print(json.dumps(pathlib.Path(folder + "/copy.db").stat().st_size / sum(len(canonical(topic)) for topic in Feed.topics)))`;
      expect(await printed(program)).toBeLessThan(1.5);
    });

    test('does not send the key where a redirection leads', async () => {
      const keys: unknown[] = [];
      const elsewhere: RequestListener = ({ headers }, response) =>
        void response.end(`{"seen":${keys.push(headers.authorization)}}`);
      const output = await against(elsewhere, (location) =>
        against(
          (_, response) => response.writeHead(302, { location }).end(),
          (BASE) =>
            printed(
              `try: Civic(os.environ["BASE"], "crs_secret").request("GET", "/")
except CivicError as error: print(json.dumps([error.code, error.status, "leads to 'http://127.0.0.1:" in str(error)]))`,
              { env: { BASE } },
            ),
        ),
      );
      expect({ seen: output, keys }).toEqual({ seen: ['unknown', 302, true], keys: [] });
    });
  });

  describe('against a service', () => {
    let installation: Installation;
    let service: Service;

    beforeAll(async () => {
      installation = await makeSharedInstallation('civic-python-');
      service = await installation.start({ sample: 'on' });
    });

    afterAll(async () => {
      await service.stop();
      await installation.close();
    });

    const environment = () => ({ BASE: service.baseUrl, CIVIC_API_KEY: service.key ?? '' });
    const replicate = (file: string, more: readonly string[] = [], env: Environment = environment()) =>
      python([FILE, 'replicate', '--base-url', service.baseUrl, '--to', join(installation.folder, file), ...more], {
        env,
      });

    async function importSome(seed: number): Promise<void> {
      const lines = randomChanges(randomFrom(seed), 200, 40).map((change) => {
        const { op, resource, id } = change;
        return JSON.stringify(
          change.op === 'upsert' ? { op, resource, id, data: change.content } : { op, resource, id },
        );
      });
      const { exitCode, stderr } = await installation.civicHere(['records', 'import', '-'], {
        input: `${lines.join('\n')}\n`,
      });
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    }

    nightlyTest('iterates over feed, snapshot and search, and raises refusals by code', async () => {
      const output = await printed(
        `civic = Civic(os.environ["BASE"], os.environ["CIVIC_API_KEY"])
def refusal(work):
    try: work()
    except CivicError as error: return [error.code, error.status]
snapshot = civic.take_snapshot()
counts = {name: sum(1 for _ in civic.snapshot_records(snapshot["snapshotId"], name, page_size=7)) for name in snapshot["counts"]}
print(json.dumps({
    "same": counts == snapshot["counts"], "topics": counts["topics"],
    "pages": [len(page["data"]["items"]) for page in civic.change_pages(resource="agenda_items", page_size=2)],
    "results": sum(1 for _ in civic.search("zoning OR data OR budget", page_size=1)),
    "refusals": [
        refusal(lambda: list(civic.changes("x"))),
        refusal(lambda: Civic(os.environ["BASE"], "crs_wrong").take_snapshot()),
        refusal(lambda: list(civic.search("zoning", cursor="x"))),
        refusal(lambda: Civic("http://127.0.0.1:9", retries=0).request("GET", "/")),
    ]}))`,
        { env: environment() },
      );
      expect(output).toMatchObject({
        same: true,
        topics: expect.toSatisfy((count: number) => count > 7) as unknown,
        pages: expect.toSatisfy(
          (counts: number[]) => counts.length > 1 && counts.every((items) => items <= 2),
        ) as unknown,
        results: expect.toSatisfy((count: number) => count > 1) as unknown,
        refusals: [
          ['invalid_parameter', 400],
          ['unauthorized', 401],
          ['invalid_cursor', 200],
          ['no_answer', 0],
        ],
      });
    });

    nightlyTest('does what the example of docs/developers/clients.md shows', async () => {
      const [, example = ''] = /^```python run\n([\s\S]*?)^```$/m.exec(
        readFileSync(join(CHECKOUT, 'docs/developers/clients.md'), 'utf8'),
      )!;
      const { exitCode, stdout, stderr } = await python(['-c', example], { env: environment() });
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
      expect(stdout).toMatch(/^(\d{4}-\d\d-\d\d .+\n)+(upsert [0-9a-f-]{36}\n)+$/);
    });

    test('keeps a copy that equals the service after each change, and starts again after an expired cursor', async () => {
      const file = join(installation.folder, 'copy.db');
      const rows = (): { readonly resource: string; readonly data: string }[] => {
        return inDatabase(file, (database) => database.prepare('select resource, data from records').all() as never);
      };
      const first = await replicate('copy.db');
      expect(first).toMatchObject({
        exitCode: 0,
        stderr: '',
        stdout: `${file}: ${rows().length} records, equal to the service\n`,
      });
      await importSome(testSeed());
      expect(await replicate('copy.db')).toMatchObject({ exitCode: 0, stderr: '' });
      expect(rows().filter(({ resource }) => resource === 'stream_records').length).toBeGreaterThan(20);
      for (const { data } of rows()) expect(canonicalJson(JSON.parse(data))).toBe(data);
      inDatabase(file, (database) => {
        const binding = {
          feedId: '0197a3c4-1111-7222-8333-444455556666',
          position: 1,
          fingerprint: null,
          binding: 'nothing',
        } as const;
        database.prepare('update civic_python_replica set cursor = ?').run(encodeFeedCursor(binding));
        database.exec("delete from records where resource = 'topics'");
      });
      expect(await replicate('copy.db')).toMatchObject({ exitCode: 0, stderr: '' });
    });

    test('names the first record in which a copy differs, and the remedy, which repairs it', async () => {
      expect(await replicate('changed.db')).toMatchObject({ exitCode: 0 });
      inDatabase(join(installation.folder, 'changed.db'), (database) => {
        database.exec(`update records set data = replace(data, '"name":"', '"name":"x') where resource = 'topics'`);
      });
      expect(await replicate('changed.db')).toMatchObject({
        exitCode: 1,
        stdout: '',
        stderr: expect.stringMatching(
          /^civic_records.py: the mirror differs from the service in topics; the first record of topics that differs: [\da-f-]{36} differs in name; run the same command with --new-snapshot to replace what differs\n$/,
        ) as unknown,
      });
      expect(await replicate('changed.db', ['--new-snapshot', '--verify'])).toMatchObject({ exitCode: 0, stderr: '' });
    });

    nightlyTest('keeps one resource on request, and refuses another one in the same file', async () => {
      expect(await replicate('topics.db', ['--resource', 'topics'])).toMatchObject({ exitCode: 0, stderr: '' });
      const named = `sqlite:${join(installation.folder, 'topics.db')}`;
      expect(await replicate('topics.db', ['--resource', 'topics', '--to', named])).toMatchObject({
        exitCode: 0,
        stderr: '',
      });
      expect(await replicate('topics.db')).toMatchObject({
        exitCode: 1,
        stderr: expect.stringMatching(
          /^[^\n]*the mirror holds topics, not every resource: [^\n]+ --new-snapshot\n$/,
        ) as unknown,
      });
      expect(await replicate('topics.db', ['--new-snapshot'])).toMatchObject({ exitCode: 0, stderr: '' });
      const misspelled = await replicate('misspelled.db', ['--resource', 'topic']);
      expect([misspelled.exitCode, misspelled.stderr]).toEqual([
        1,
        expect.stringMatching(/'topic': name one of jurisdictions, [^\n]+\n$/),
      ]);
    });

    nightlyTest('gives the cause where SQLite has ended the transaction itself, as on a full disk', async () => {
      expect(await replicate('full.db')).toMatchObject({ exitCode: 0 });
      const file = join(installation.folder, 'full.db');
      inDatabase(file, (database) => {
        database.exec(
          "create trigger full before insert on records begin select raise(rollback, 'database or disk is full'); end; delete from records",
        );
      });
      expect(await replicate('full.db', ['--new-snapshot'])).toMatchObject({
        exitCode: 1,
        stderr: `civic_records.py: the SQLite file ${file} cannot be used: database or disk is full\n`,
      });
    });

    nightlyTest('says in one line what is wrong with the file, the key and the address, without the key', async () => {
      inDatabase(join(installation.folder, 'other.db'), (database) => {
        database.exec('create table mine (x)');
      });
      expect((await replicate('other.db')).stderr).toMatch(
        /^civic_records.py: \S+other.db has tables and is no mirror of this program[^\n]+\n$/,
      );
      expect((await replicate('no.db', [], { CIVIC_API_KEY: '' })).stderr).toBe(
        'civic_records.py: an API key is needed: set CIVIC_API_KEY, or name a file with --key-file\n',
      );
      expect((await replicate('no.db', ['--key-file', '/nonexistent'])).stderr).toMatch(
        /^civic_records.py: [^\n]*'\/nonexistent'\n$/,
      );
      const wrong = await replicate('no.db', [], { CIVIC_API_KEY: 'crs_secret\u00e9' });
      expect(wrong.stderr).toMatch(
        /^civic_records.py: the API key is empty or has a character that no key has[^\n]*\n$/,
      );
      expect(wrong.stderr).not.toContain('crs_secret');
    });
  });
});
