import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PROJECTIONS } from '../../src/app/composition.ts';
import { OPERATIONS } from '../../contract/operations.ts';
import { isKeySecret, keySecretHash, makeKeySecret } from '../../domain/key-secret.ts';
import { type AdmissionBench, type Customer, openAdmissionBench } from '../support/admission.ts';
import { type Installation, makeInstallation, type Service } from '../support/service.ts';

const ID = '00000000-0000-4000-8000-000000000000';

let bench: AdmissionBench;
let installation: Installation;
let service: Service;
let customer: Customer;
/** Secrets by their kind. */
const secrets: Record<string, string> = {};
/** All output, by place. */
const outputs: Record<string, string> = {};
const env = () => ({ DATABASE_URL: bench.civic.url, CIVIC_LOG_LEVEL: 'trace' });

beforeAll(async () => {
  bench = await openAdmissionBench(Date.now(), PROJECTIONS);
  installation = makeInstallation('civic-secrets-');
  service = await installation.start({ sample: 'on', env: env() });
  customer = await bench.open();
  secrets['sample'] = service.key!;
  secrets['usable'] = customer.key;
  secrets['revoked'] = (await bench.issue(customer.accountId, { revoked: true })).key;
  secrets['expired'] = (await bench.issue(customer.accountId, { expiresAt: Date.now() - 1000 })).key;
  secrets['unknown'] = makeKeySecret(randomBytes);
  secrets['mistyped'] = `${makeKeySecret(randomBytes).slice(0, -1)}!`;
  await bench.caughtUp();
});
afterAll(async () => {
  await service?.stop();
  await installation?.close();
  await bench?.close();
});

/** Each operation with valid input, and with a secret in every field. */
const requests = function* (secret: string) {
  for (const { method, path } of Object.values(OPERATIONS)) {
    const sound = path.replace(/\{(snapshotId|subscriptionId|reportId|matchId)\}/, ID).replace('{resource}', 'topics');
    const bodies =
      method === 'POST'
        ? ['{"requests":[{"resource":"topics","ids":["1"]}]}', `{"name":"a"}`, `{"${secret}":`]
        : [undefined];
    for (const body of bodies) {
      yield { method, path: sound, body };
      yield { method, path: `${sound}?key=${secret}&limit=${secret}`, body };
      yield { method, path: path.replaceAll(/\{\w+\}/g, secret), body };
    }
    yield { method, path: `${sound}?cursor=${secret}`, body: bodies[0] };
    yield { method: 'PATCH', path: `${sound}/${secret}`, body: undefined };
  }
};

async function askEverything(where: string, keys: readonly string[]): Promise<void> {
  const answers: string[] = [];
  for (const secret of keys) {
    for (const { method, path, body } of requests(secret)) {
      const headers = {
        authorization: `Bearer ${secret}`,
        'content-type': 'application/json',
        cookie: `key=${secret}`,
      };
      const answer = await fetch(service.baseUrl + path, { method, headers, ...(body === undefined ? {} : { body }) });
      answers.push(`${answer.status} ${JSON.stringify([...answer.headers])} ${await answer.text()}`);
    }
  }
  expect(answers.length).toBeGreaterThan(60 * keys.length);
  outputs[where] = answers.join('\n');
}

const output = ({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }): string => stdout + stderr;

test('the secret of a key is in no answer, log, metric or table after any request with it', async () => {
  await askEverything('answers', Object.values(secrets));
  await bench.civic.rows('alter table civic.admission_counts rename to admission_counts_away');
  await askEverything('answers while nobody can be told', [secrets['usable']!, secrets['mistyped']!]);
  await bench.civic.rows('alter table civic.admission_counts_away rename to admission_counts');

  const issued = await installation.civicHere(
    ['keys', 'issue', '--account', customer.accountId, '--scope', 'civic:read', '--json'],
    {
      env: env(),
    },
  );
  const { key, keyId } = JSON.parse(issued.stdout) as { key: string; keyId: string };
  expect(isKeySecret(key)).toBe(true);
  outputs['the log of the command that issued one'] = issued.stderr;
  secrets['issued'] = key;
  for (const args of [
    ['keys', 'list', '--account', customer.accountId],
    ['keys', 'revoke', '--key', keyId, '--yes'],
    ['keys', 'revoke', '--key', key],
    ['accounts', 'suspend', '--account', key],
    ['accounts', 'list'],
    ['cursor', 'explain', key],
  ]) {
    outputs[args.join(' ').replace(key, 'KEY')] = output(await installation.civicHere(args, { env: env() }));
  }
  for (const path of ['/metrics', '/readyz', '/ops', '/ops/state'])
    outputs[path] = await (await fetch(service.opsUrl + path)).text();

  const tables = await bench.civic.rows(
    `select c.oid::regclass::text from pg_class c where relnamespace = 'civic'::regnamespace and relkind = 'r'`,
  );
  for (const [table] of tables)
    outputs[`the table ${table}`] = (await bench.civic.rows(`select t::text from ${table} t`)).flat().join('\n');
  const { stderr } = await service.stop();
  outputs['the log of the service'] = stderr;

  expect(stderr.split('\n').length).toBeGreaterThan(100);
  expect(outputs['/metrics']).toContain('readCivicChanges');
  expect(outputs['the table civic.events']).toContain(keySecretHash(key));
  const leaks = Object.entries(secrets).flatMap(([name, secret]) => {
    const random = secret.split('_')[1]!;
    return Object.entries(outputs).flatMap(([where, text]) => (text.includes(random) ? [`${name} in ${where}`] : []));
  });
  expect(leaks).toEqual([]);
});
