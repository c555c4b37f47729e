import { randomInt } from 'node:crypto';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { untilTrue } from '../support/until-reached.ts';
import { plainKafka } from '../support/kafka-client.ts';

/** The tested versions: the last of 3.x, and a current 4.x. */
export const KAFKA_VERSIONS = ['3.9.1', '4.1.0'];
/** The version of this run. */
export const KAFKA_VERSION = process.env['KAFKA_VERSION'] ?? KAFKA_VERSIONS[0]!;

const CACHE = join(import.meta.dirname, '../../node_modules/.cache/engines');
const CLUSTER_ID = 'MkU3OEVBNTcwNTJENDM2Qk';
const HEAP = [
  '-Xmx384m',
  '-Xms128m',
  '-XX:+UseSerialGC',
  '-XX:TieredStopAtLevel=1',
  '-Dorg.slf4j.simpleLogger.defaultLogLevel=error',
];

const dependency = (group: string, artifact: string, version: string): string =>
  `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency>`;
const pom = (version: string): string =>
  `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion><groupId>test</groupId><artifactId>test</artifactId><version>1</version>
<dependencies>${dependency('org.apache.kafka', 'kafka_2.13', version)}${dependency('org.slf4j', 'slf4j-simple', '1.7.36')}</dependencies></project>`;

/** The folder of the official jars, fetched from Maven Central once. Throws where Maven is not there or cannot reach it. */
export function kafkaJars(version: string): string {
  const jars = join(CACHE, `kafka-${version}`);
  if (existsSync(jars)) return jars;
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(join(CACHE, 'fetching-'));
  try {
    writeFileSync(join(folder, 'pom.xml'), pom(version));
    const goal = ['-q', '-B', 'dependency:copy-dependencies', `-DoutputDirectory=${join(folder, 'jars')}`];
    execFileSync('mvn', goal, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    if (readdirSync(join(folder, 'jars')).length === 0) throw new Error(`Maven Central has no Kafka ${version}`);
    renameSync(join(folder, 'jars'), jars);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return jars;
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });

/** Returns free ports below those that Linux gives to connections: one of these might be taken before Kafka listens. */
async function freePorts(count: number): Promise<readonly number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = randomInt(20_000, 32_000);
    if (await isFree(port)) ports.add(port);
  }
  return [...ports];
}

export interface KafkaUser {
  readonly name: string;
  readonly password: string;
}

export interface KafkaSecurity {
  /** PKCS12 store of the certificate. */
  readonly keyStore: string;
  readonly storePassword: string;
  /** May do everything. */
  readonly admin: KafkaUser;
  readonly users: readonly KafkaUser[];
}

export interface KafkaServers {
  /** `host:port,…` of the listener without encryption, open to all clients. */
  readonly brokers: string;
  /** Address of the listener with TLS and SCRAM-SHA-512; empty without `security`. */
  readonly secured: string;
  kill9(broker: number): Promise<void>;
  /** Starts a broker that was killed; resolves once it serves with the others. */
  start(broker: number): Promise<void>;
  stop(): Promise<void>;
}

/** Starts Apache Kafka in KRaft mode, one process per broker, each also a controller, on free ports of 127.0.0.1. */
export async function startKafka(
  version: string,
  { brokers = 1, security }: { readonly brokers?: number; readonly security?: KafkaSecurity } = {},
): Promise<KafkaServers> {
  const classPath = join(kafkaJars(version), '*');
  const folder = mkdtempSync(join(tmpdir(), 'civic-kafka-'));
  const ports = await freePorts(3 * brokers);
  const [plain, controllers, secured] = [0, 1, 2].map((part) => ports.slice(part * brokers, (part + 1) * brokers)) as [
    number[],
    number[],
    number[],
  ];
  const running = new Map<number, ChildProcess>();
  const replicas = Math.min(3, brokers);
  const settingsOf = (index: number): Record<string, string | number> => ({
    'process.roles': 'broker,controller',
    'node.id': index + 1,
    'controller.quorum.voters': controllers.map((port, node) => `${node + 1}@127.0.0.1:${port}`).join(','),
    'controller.listener.names': 'CONTROLLER',
    'inter.broker.listener.name': 'PLAINTEXT',
    listeners: [
      `PLAINTEXT://127.0.0.1:${plain[index]}`,
      `CONTROLLER://127.0.0.1:${controllers[index]}`,
      ...(security === undefined ? [] : [`SECURED://127.0.0.1:${secured[index]}`]),
    ].join(','),
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SECURED:SASL_SSL',
    'log.dirs': join(folder, `data-${index}`),
    'auto.create.topics.enable': 'false',
    'default.replication.factor': replicas,
    'min.insync.replicas': Math.max(1, replicas - 1),
    'offsets.topic.replication.factor': replicas,
    'offsets.topic.num.partitions': 4,
    'transaction.state.log.replication.factor': replicas,
    'transaction.state.log.min.isr': Math.max(1, replicas - 1),
    'transaction.state.log.num.partitions': 4,
    'share.coordinator.state.topic.replication.factor': replicas,
    'share.coordinator.state.topic.min.isr': 1,
    'group.initial.rebalance.delay.ms': 0,
    'broker.session.timeout.ms': 3_000,
    'broker.heartbeat.interval.ms': 500,
    'message.max.bytes': 8_388_608,
    'replica.fetch.max.bytes': 8_388_608,
    ...(security === undefined
      ? {}
      : {
          'sasl.enabled.mechanisms': 'SCRAM-SHA-512',
          'listener.name.secured.scram-sha-512.sasl.jaas.config':
            'org.apache.kafka.common.security.scram.ScramLoginModule required;',
          'ssl.keystore.type': 'PKCS12',
          'ssl.keystore.location': security.keyStore,
          'ssl.keystore.password': security.storePassword,
          'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
          'super.users': `User:${security.admin.name};User:ANONYMOUS`,
        }),
  });
  const java = (main: string, ...args: string[]): readonly string[] => [...HEAP, '-cp', classPath, main, ...args];
  const logOf = (index: number): string => join(folder, `${index}.log`);
  const start = async (index: number): Promise<void> => {
    const child = spawn('java', java('kafka.Kafka', join(folder, `${index}.properties`)), {
      cwd: folder,
      stdio: ['ignore', openSync(logOf(index), 'a'), openSync(logOf(index), 'a')],
      env: { PATH: process.env['PATH'] },
    });
    running.set(index, child);
    process.once('exit', () => child.kill('SIGKILL'));
  };
  const end = async (index: number, signal: NodeJS.Signals): Promise<void> => {
    const child = running.get(index);
    running.delete(index);
    if (child === undefined || child.exitCode !== null) return;
    const exited = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await exited;
  };
  const allAnswer = (): Promise<void> =>
    untilTrue(`Kafka ${version} answers`, () => {
      const ended = [...running].find(([, { exitCode }]) => exitCode !== null);
      if (ended !== undefined)
        throw new Error(`Kafka ${version} ended: ${readFileSync(logOf(ended[0]), 'utf8').slice(-3000)}`);
      return answers(address, brokers);
    });
  const address = plain.map((port) => `127.0.0.1:${port}`).join(',');
  const servers: KafkaServers = {
    brokers: address,
    secured: security === undefined ? '' : secured.map((port) => `127.0.0.1:${port}`).join(','),
    async start(index) {
      await start(index);
      await allAnswer();
    },
    kill9: (index) => end(index, 'SIGKILL'),
    async stop() {
      await Promise.all([...running.keys()].map((index) => end(index, 'SIGKILL')));
      rmSync(folder, { recursive: true, force: true });
    },
  };
  const users = security === undefined ? [] : [security.admin, ...security.users];
  const scram = users.flatMap(({ name, password }) => [
    '--add-scram',
    `SCRAM-SHA-512=[name=${name},password=${password}]`,
  ]);
  for (let index = 0; index < brokers; index += 1) {
    const file = join(folder, `${index}.properties`);
    writeFileSync(
      file,
      Object.entries(settingsOf(index))
        .map(([name, value]) => `${name}=${value}\n`)
        .join(''),
    );
    execFileSync('java', java('kafka.tools.StorageTool', 'format', '-t', CLUSTER_ID, '-c', file, ...scram), {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }
  try {
    for (let index = 0; index < brokers; index += 1) await start(index);
    await allAnswer();
    return servers;
  } catch (error) {
    await servers.stop();
    throw error;
  }
}

async function answers(address: string, brokers: number): Promise<boolean> {
  const admin = plainKafka(address).admin({ retry: { retries: 0 } });
  try {
    await admin.connect();
    return (await admin.describeCluster()).brokers.length === brokers;
  } catch {
    return false;
  } finally {
    await admin.disconnect().catch(() => undefined);
  }
}
