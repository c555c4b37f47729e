import { execFileSync } from 'node:child_process';
import { join, dirname } from 'node:path';
import { writeFileSync } from 'node:fs';
import { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } from 'kafkajs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { certificateFolder } from '../support/certificates.ts';
import { plainKafka } from '../support/kafka-client.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { type Environment, type Installation, makeInstallation, type Service } from '../support/service.ts';
import { untilTrue } from '../support/until-reached.ts';
import { type KafkaServers, KAFKA_VERSION, startKafka } from './kafka-server.ts';

const PASSWORD = 'p4ssword-of-relay';
const folder = certificateFolder();
let kafka: KafkaServers;
let database: TestDatabase;
let installation: Installation;
let trusted: Environment;

async function acl(
  user: string,
  resourceType: AclResourceTypes,
  resourceName: string,
  operations: readonly AclOperationTypes[],
  prefixed = false,
) {
  const admin = plainKafka(kafka.brokers).admin();
  await admin.connect();
  await admin.createAcls({
    acl: operations.map((operation) => ({
      resourceType,
      resourceName,
      resourcePatternType: prefixed ? ResourcePatternTypes.PREFIXED : ResourcePatternTypes.LITERAL,
      principal: `User:${user}`,
      host: '*',
      operation,
      permissionType: AclPermissionTypes.ALLOW,
    })),
  });
  await admin.disconnect();
}
async function makeTopic(topic: string): Promise<void> {
  const admin = plainKafka(kafka.brokers).admin();
  await admin.connect();
  await admin.createTopics({ topics: [{ topic, numPartitions: 1 }], waitForLeaders: true });
  await admin.disconnect();
}

beforeAll(async () => {
  const { key, certificate, authorityFile } = folder.signed('broker', { host: 'IP:127.0.0.1', days: 2 });
  const at = dirname(authorityFile);
  writeFileSync(join(at, 'both.pem'), key + certificate);
  execFileSync('openssl', ['pkcs12', '-export', '-in', 'both.pem', '-out', 'broker.p12', '-passout', 'pass:changeit'], {
    cwd: at,
  });
  kafka = await startKafka(KAFKA_VERSION, {
    security: {
      keyStore: join(at, 'broker.p12'),
      storePassword: 'changeit',
      admin: { name: 'root', password: 'p4ssword-of-root' },
      users: [{ name: 'relay', password: PASSWORD }],
    },
  });
  trusted = {
    KAFKA_BROKERS: kafka.secured,
    CIVIC_KAFKA_TLS: 'on',
    CIVIC_KAFKA_SASL: `scram-sha-512:relay:${PASSWORD}`,
    CIVIC_KAFKA_INLET_TOPIC: 'civic.in',
    NODE_EXTRA_CA_CERTS: authorityFile,
  };
  database = await startTestDatabase();
  installation = makeInstallation('civic-kafka-', { DATABASE_URL: database.url });
});
afterAll(async () => {
  await installation?.close();
  await database?.close();
  await kafka?.stop();
  folder.remove();
});

/** The row of the doctor about the brokers, from a separate process: certificates are read at its start. */
async function doctor(env: Environment) {
  const { stdout } = await installation.civic(['doctor', '--json'], { env: { ...trusted, ...env } });
  const findings = JSON.parse(stdout) as readonly { check: string; state: string; found: string; remedy?: string }[];
  return findings.find(({ check }) => check === 'brokers')!;
}

describe(`civic doctor on Kafka ${KAFKA_VERSION} names`, () => {
  test('a certificate that is not trusted', async () => {
    const row = await doctor({ NODE_EXTRA_CA_CERTS: '' });
    expect(row).toMatchObject({
      state: 'failed',
      found: expect.stringMatching(/certificate of the brokers is not trusted/),
    });
    expect(JSON.stringify(row)).toContain('NODE_EXTRA_CA_CERTS');
  });
  test('a wrong password, without repeating it', async () => {
    const row = await doctor({ CIVIC_KAFKA_SASL: 'scram-sha-512:relay:wr0ng' });
    expect(row).toMatchObject({ state: 'failed', found: expect.stringMatching(/refuse the credential/) });
    expect(JSON.stringify(row)).toContain('CIVIC_KAFKA_SASL');
    expect(JSON.stringify(row)).not.toContain('wr0ng');
  });
  test('a credential where none is set', async () => {
    const row = await doctor({ CIVIC_KAFKA_SASL: '' });
    expect(row).toMatchObject({ state: 'failed', found: expect.stringMatching(/close the connection/) });
    expect(JSON.stringify(row)).toContain('CIVIC_KAFKA_SASL');
  });
  test('TLS where it is not set, and none where it is', async () => {
    expect(JSON.stringify(await doctor({ CIVIC_KAFKA_TLS: 'off' }))).toContain('CIVIC_KAFKA_TLS');
    expect(JSON.stringify(await doctor({ KAFKA_BROKERS: kafka.brokers }))).toMatch(/do not speak TLS/);
  });
  test('a missing right on an existing topic, and a topic that does not exist', async () => {
    await acl('relay', AclResourceTypes.CLUSTER, 'kafka-cluster', [AclOperationTypes.DESCRIBE]);
    await makeTopic('civic.in');
    expect(await doctor({})).toMatchObject({
      state: 'failed',
      found: expect.stringMatching(/right is missing: Describe and Read on the topic civic\.in/),
    });
    await acl('relay', AclResourceTypes.TOPIC, 'civic.', [AclOperationTypes.DESCRIBE, AclOperationTypes.READ], true);
    expect(await doctor({})).toMatchObject({ state: 'ok' });
    expect(await doctor({ CIVIC_KAFKA_INLET_TOPIC: 'civic.absent' })).toMatchObject({
      state: 'warning',
      found: expect.stringMatching(/no topic civic\.absent/),
    });
  });
});

describe(`the relay on Kafka ${KAFKA_VERSION}`, () => {
  let service: Service;
  beforeAll(async () => {
    service = await installation.start({ sample: 'on', env: trusted });
  });
  afterAll(async () => {
    await service.stop();
  });
  const relay = async () => {
    const { stdout } = await installation.civicHere(['reactors', 'list', '--json'], { env: trusted });
    return (
      JSON.parse(stdout) as readonly { name: string; state: string; reason: string | null; lagEvents: number | null }[]
    ).find(({ name }) => name === 'relay')!;
  };
  const paused = async (): Promise<string> => {
    await untilTrue('the relay is paused', async () => (await relay()).state === 'paused');
    return (await relay()).reason ?? '';
  };
  const published = async (): Promise<boolean> => {
    const { state, lagEvents } = await relay();
    return state === 'live' && lagEvents === 0;
  };
  const retry = () => installation.civicHere(['reactors', 'retry', 'relay'], { env: trusted });

  test('pauses while a right is missing, names it, and publishes with the rights that the docs list', async () => {
    expect(await paused()).toMatch(
      /a right is missing: Create, Describe, Read and Write on the topics civic\.feed and civic\.feed\.place/,
    );
    await acl('relay', AclResourceTypes.TOPIC, 'civic.', [AclOperationTypes.CREATE, AclOperationTypes.WRITE], true);
    await acl('relay', AclResourceTypes.TOPIC, 'civic.', [AclOperationTypes.DESCRIBE, AclOperationTypes.READ], true);
    await retry();
    expect(await paused()).toMatch(
      /a right is missing: Describe and Write on the transactional id civic\.relay\.civic\.feed/,
    );
    await acl(
      'relay',
      AclResourceTypes.TRANSACTIONAL_ID,
      'civic.relay.',
      [AclOperationTypes.DESCRIBE, AclOperationTypes.WRITE],
      true,
    );
    await retry();
    await untilTrue('the relay has published all', published);
    // Only a relay that continues reads its position, in a group.
    await service.stop();
    service = await installation.start({ env: trusted });
    expect(await paused()).toMatch(
      /a right is missing: Read on the groups whose names begin with civic\.relay\.civic\.feed\./,
    );
    await acl('relay', AclResourceTypes.GROUP, 'civic.', [AclOperationTypes.READ], true);
    await retry();
    await untilTrue('the relay goes on', published);
  });
});
