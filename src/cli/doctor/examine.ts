import type { Clock } from '../../domain/ports/clock.ts';
import { BadSetting, readSettings, type Settings } from '../../settings.ts';
import type { Probes } from '../../domain/ports/probes.ts';
import type { Finding } from './findings.ts';
import { failed, judgeDatabase, judgeFolder, ok, warning } from './findings.ts';

export interface Examination {
  readonly environment: NodeJS.ProcessEnv;
  readonly probes: (settings: Settings) => Promise<Probes>;
  /** Clock milliseconds. */
  readonly clock: Pick<Clock, 'now'>;
}

const OLDEST_NODE = 24;

/** Looks at everything that a start rests on and judges it, changing nothing but starting the embedded database where none runs. Never throws. */
export const examine = async ({ environment, probes, clock }: Examination): Promise<readonly Finding[]> => {
  const read = readAll(environment);
  if ('finding' in read) return [read.finding];
  const { settings, warnings } = read;
  const { machine, database, answersAt } = await probes(settings);
  const findings: Finding[] = [judgeNode(machine.nodeVersion)];
  findings.push(
    ...(warnings.length === 0
      ? [ok('settings', 'every one is known and usable')]
      : warnings.map((text) => warning('settings', text, 'correct or unset it'))),
  );
  if (settings.DATABASE_URL === undefined) {
    findings.push(...judgeFolder('CIVIC_DATA_DIR', await machine.folder(settings.CIVIC_DATA_DIR)));
  }
  findings.push(...(await judgeListeners(settings, machine, answersAt)));
  try {
    findings.push(...judgeDatabase(await database(), clock.now()));
  } catch (error) {
    findings.push(failed('database', (error as Error).message, 'nothing can be served without it'));
  }
  return findings;
};

const readAll = (environment: NodeJS.ProcessEnv): ReturnType<typeof readSettings> | { readonly finding: Finding } => {
  try {
    return readSettings(environment);
  } catch (error) {
    if (!(error instanceof BadSetting)) throw error;
    return { finding: failed('settings', error.message, 'correct or unset it; nothing else was looked at') };
  }
};

const judgeNode = (version: string): Finding =>
  Number.parseInt(version, 10) >= OLDEST_NODE
    ? ok('node', version)
    : failed('node', version, `run the scripts of package.json, which bring Node ${OLDEST_NODE} where the system's is older`);

const judgeListeners = async (
  settings: Settings,
  machine: Probes['machine'],
  answersAt: Probes['answersAt'],
): Promise<readonly Finding[]> => {
  const { CIVIC_HTTP_HOST, CIVIC_HTTP_PORT, CIVIC_OPS_HOST, CIVIC_OPS_PORT } = settings;
  const ours = CIVIC_OPS_PORT !== 'off' && CIVIC_OPS_PORT !== 0 && (await answersAt(`http://${CIVIC_OPS_HOST}:${CIVIC_OPS_PORT}/livez`));
  const judge = async (name: 'CIVIC_HTTP' | 'CIVIC_OPS', host: string, port: number): Promise<Finding> => {
    const check = `${name}_PORT`;
    const refused = await machine.listens(host, port);
    if (refused === null) return ok(check, port === 0 ? 'a free port is picked at the start' : `${host}:${port} is free`);
    if (refused === 'EADDRINUSE' && ours) return ok(check, `${host}:${port} is in use; a service of ours answers`);
    return failed(
      check,
      `${host}:${port} cannot be had (${refused})`,
      `stop what uses it, or set ${name}_HOST and ${name}_PORT; port 0 picks a free one`,
    );
  };
  const both = [judge('CIVIC_HTTP', CIVIC_HTTP_HOST, CIVIC_HTTP_PORT)];
  if (CIVIC_OPS_PORT !== 'off') both.push(judge('CIVIC_OPS', CIVIC_OPS_HOST, CIVIC_OPS_PORT));
  return Promise.all(both);
};
