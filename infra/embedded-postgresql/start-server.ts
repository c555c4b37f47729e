import { spawn, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { programFile } from '../../plumbing/program-files.ts';
import { ensureCluster } from './cluster.ts';
import { type DataLayout, giveToOwner } from './data-directory.ts';
import { planLaunch, withCopiedPrograms } from './launch-plan.ts';
import { EmbeddedDatabaseRefused, failureReason } from './refusal.ts';
import { makeRunDirectory } from './run-directory.ts';
import { commandOf } from './run-program.ts';
import { openServerLog } from './server-log.ts';
import { serverArguments } from './server-settings.ts';

const SUPERVISOR = fileURLToPath(programFile('infra/embedded-postgresql/supervisor.sh'));

/**
 * Completes the cluster and starts a supervisor with a server. Both outlive this process while they have users. `lock`
 * is the descriptor of the data directory's lock, which every process of the server inherits. Throws
 * `EmbeddedDatabaseRefused`.
 */
export async function startServer(layout: DataLayout, lock: number) {
  // The lock proves that the recorded server is gone. Another process might have its number now, and PostgreSQL would
  // not start.
  fs.rmSync(join(layout.cluster, 'postmaster.pid'), { force: true });
  const planned = planLaunch(layout);
  const run = makeRunDirectory(layout, planned);
  const plan = planned.fromCopy ? withCopiedPrograms(planned, run.folder) : planned;
  await ensureCluster({ layout, plan, lock });
  const ends = openBothEnds(run.users, layout);
  const args = (data: string) => serverArguments(data, run.serverSockets);
  const command = commandOf(plan, { name: 'postgres', folder: layout.cluster, args });
  return {
    ...startSupervisor(layout, [layout.run, run.folder], command, lock),
    release: () => ends.forEach(fs.closeSync),
  };
}

/** Creates the FIFO and opens both ends, so that the first user finds a reader and the supervisor finds a writer. */
function openBothEnds(fifo: string, layout: DataLayout): readonly number[] {
  const { status, error, stderr } = spawnSync('mkfifo', ['-m', '600', fifo], { encoding: 'utf8' });
  if (status !== 0) throw new EmbeddedDatabaseRefused(failureReason([error?.message ?? stderr], layout));
  const { O_RDONLY, O_WRONLY, O_NONBLOCK } = fs.constants;
  return [O_RDONLY, O_WRONLY].map((end) => fs.openSync(fifo, end | O_NONBLOCK));
}

function startSupervisor(
  layout: DataLayout,
  folders: readonly string[],
  { command, ...place }: ReturnType<typeof commandOf>,
  lock: number,
) {
  const log = openServerLog(layout.serverLog);
  giveToOwner(log, layout.root);
  const logStart = fs.fstatSync(log).size;
  const stdio = ['ignore', 'ignore', log, lock] as const;
  const supervisor = spawn('sh', [SUPERVISOR, ...folders, ...command], { ...place, detached: true, stdio: [...stdio] });
  fs.closeSync(log);
  let failure = (): string | undefined => undefined;
  supervisor.once('exit', () => {
    failure = () => failureReason(fs.readFileSync(layout.serverLog).subarray(logStart).toString().split('\n'), layout);
  });
  supervisor.once('error', ({ message }) => {
    failure = () => `the supervisor of the embedded PostgreSQL does not start: ${message}`;
  });
  supervisor.unref();
  /** Returns the reason in one line once the server has ended, undefined while it runs. */
  return { failure: () => failure() };
}
