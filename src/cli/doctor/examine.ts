import type { Clock } from '../../../domain/ports/clock.ts';
import { BadSetting, readSettings, type Settings } from '../../app/settings.ts';
import { KafkaRefused } from '../../../domain/ports/kafka.ts';
import type { Probes } from '../../../domain/ports/probes.ts';
import { failed, type Finding, judgeDatabase, judgeFolder, ok, warning } from './findings.ts';

export interface Examination {
  readonly environment: NodeJS.ProcessEnv;
  readonly probes: (settings: Settings) => Promise<Probes>;
  readonly clock: Pick<Clock, 'now'>;
}

const OLDEST_NODE = 24;

/** Examines the conditions of a start. Changes nothing, except that it starts the embedded database if it does not run. Never throws. */
export async function examine({ environment, probes, clock }: Examination): Promise<readonly Finding[]> {
  let parsed: ReturnType<typeof readSettings>;
  let probed: Probes;
  try {
    parsed = readSettings(environment);
    probed = await probes(parsed.settings);
  } catch (error) {
    if (!(error instanceof BadSetting)) throw error;
    return [failed('settings', error.message, 'correct or unset it; nothing else was looked at')];
  }
  const { settings, warnings } = parsed;
  const { machine, database, installation, eventStore, brokers, answersAt } = probed;
  const findings: Finding[] = [judgeNode(machine.nodeVersion)];
  if (warnings.length === 0) findings.push(ok('settings', 'all are known and valid'));
  for (const text of warnings) findings.push(warning('settings', text, 'correct or unset it'));
  if (settings.DATABASE_URL === undefined) {
    findings.push(...judgeFolder('CIVIC_DATA_DIR', await machine.folder(settings.CIVIC_DATA_DIR)));
  }
  findings.push(...(await judgeListeners(settings, machine, answersAt)));
  let hasTables = false;
  try {
    const facts = await database();
    hasTables = facts.schema === 'current';
    findings.push(...judgeDatabase(facts, clock.now()));
  } catch (error) {
    const toDo = settings.DATABASE_URL === undefined ? 'fix this' : 'start it or correct DATABASE_URL';
    findings.push(failed('database', (error as Error).message, `${toDo}: the service cannot run without it`));
  }
  const ofEventStore = eventStore === null ? [] : [await judgeEventStore(eventStore)];
  findings.push(...ofEventStore);
  if (hasTables && ofEventStore.every(({ state }) => state === 'ok'))
    findings.push(await judgeInstallation(installation));
  if (brokers !== null) findings.push(await judgeBrokers(brokers, settings));
  return findings;
}

/** Returns the problems of the database and of the embedded one's disk, one line each. Never throws. */
export async function findDatabaseTroubles({ environment, probes }: Examination): Promise<readonly string[]> {
  const troubles: string[] = [];
  try {
    const { settings } = readSettings(environment);
    const { machine, database } = await probes(settings);
    if (settings.DATABASE_URL === undefined) {
      const findings = judgeFolder('CIVIC_DATA_DIR', await machine.folder(settings.CIVIC_DATA_DIR));
      for (const { state, found, remedy } of findings) if (state === 'failed') troubles.push(`${found}: ${remedy}`);
    }
    await database();
  } catch (error) {
    troubles.push((error as Error).message);
  }
  return troubles;
}

async function judgeEventStore(probe: NonNullable<Probes['eventStore']>): Promise<Finding> {
  try {
    await probe();
    return ok('event store', 'the server of EVENTSTORE_URL answers');
  } catch (error) {
    return failed(
      'event store',
      (error as Error).message,
      'correct EVENTSTORE_URL or start its server: nothing can be written without it',
    );
  }
}

async function judgeInstallation(probe: Probes['installation']): Promise<Finding> {
  try {
    await probe();
    return ok('installation', 'the database, its log and its feed belong together, as far as there is a log');
  } catch (error) {
    return failed('installation', (error as Error).message, 'fix this: no process of the service starts until then');
  }
}

async function judgeBrokers(probe: NonNullable<Probes['brokers']>, settings: Settings): Promise<Finding> {
  try {
    const { brokers, topics } = await probe();
    const brokerCount = `${brokers} broker${brokers === 1 ? '' : 's'} of Kafka`;
    const inlet = settings.CIVIC_KAFKA_INLET_TOPIC;
    if (inlet !== undefined && !topics.includes(inlet)) {
      return warning(
        'brokers',
        `${brokerCount}, and no topic ${inlet}`,
        'make it, or unset CIVIC_KAFKA_INLET_TOPIC: the inlet waits for it',
      );
    }
    return ok(
      'brokers',
      topics.length === 0
        ? `${brokerCount}; the relay makes its topic`
        : `${brokerCount}, with ${topics.join(' and ')}`,
    );
  } catch (error) {
    const remedy = error instanceof KafkaRefused ? error.remedy : 'correct KAFKA_BROKERS or start the brokers';
    return failed('brokers', (error as Error).message, `${remedy}: the relay waits for them, all else goes on`);
  }
}

const judgeNode = (version: string): Finding =>
  Number.parseInt(version, 10) >= OLDEST_NODE
    ? ok('node', version)
    : failed(
        'node',
        version,
        `run the scripts of package.json, which use Node ${OLDEST_NODE} if the system's is older`,
      );

async function judgeListeners(
  settings: Settings,
  machine: Probes['machine'],
  answersAt: Probes['answersAt'],
): Promise<readonly Finding[]> {
  const { CIVIC_HTTP_HOST, CIVIC_HTTP_PORT, CIVIC_OPS_HOST, CIVIC_OPS_PORT } = settings;
  const ours =
    CIVIC_OPS_PORT !== 'off' &&
    CIVIC_OPS_PORT !== 0 &&
    (await answersAt(`http://${CIVIC_OPS_HOST}:${CIVIC_OPS_PORT}/livez`));
  const judge = async (name: 'CIVIC_HTTP' | 'CIVIC_OPS', host: string, port: number): Promise<Finding> => {
    const check = `${name}_PORT`;
    const refused = await machine.listens(host, port);
    if (refused === null) return ok(check, port === 0 ? 'the start picks a free port' : `${host}:${port} is free`);
    if (refused === 'EADDRINUSE' && ours) return ok(check, `${host}:${port} is in use; this service answers there`);
    return failed(
      check,
      `${host}:${port} is not available (${refused})`,
      `stop the program that uses it, or set ${name}_HOST and ${name}_PORT; port 0 picks a free one`,
    );
  };
  const judged = [judge('CIVIC_HTTP', CIVIC_HTTP_HOST, CIVIC_HTTP_PORT)];
  if (CIVIC_OPS_PORT !== 'off') judged.push(judge('CIVIC_OPS', CIVIC_OPS_HOST, CIVIC_OPS_PORT));
  return Promise.all(judged);
}
