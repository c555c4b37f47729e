import { join } from 'node:path';
import type { FuzzFacts } from '../fuzz/conversation.ts';
import { makeFacts } from '../fuzz/facts.ts';
import { writeFirstRecords } from '../soak/first-records.ts';
import { errorLines } from '../soak/member.ts';
import { type Answered, type Environment, makeInstallation, type Running, type Service } from './service.ts';

const KEPT_BY_HEAP = new URL('../soak/kept-by-heap.ts', import.meta.url).href;

/** The program with a bounded heap, for tests of hostile clients. */
export interface AttackedProcess {
  /** Null once it has ended. */
  readonly pid: number | null;
  readonly baseUrl: string;
  readonly port: number;
  readonly opsUrl: string;
  /** The file of its memory figures. */
  readonly memoryFile: string;
  readonly ended: Promise<Answered>;
  /** Stops it if it runs, and starts it again. */
  restart(): Promise<void>;
  /** Writes the first records and makes a snapshot, a subscription and a report. */
  makeFacts(): Promise<FuzzFacts>;
  /** Stops it in order; returns its error log lines and crash output, over all restarts. */
  stop(): Promise<readonly string[]>;
}

/** No limit of client addresses: all requests come from one. */
const UNLIMITED: Environment = { CIVIC_PUBLIC_LIMIT: '1000000/60', CIVIC_REPORT_CLIENT_LIMIT: '1000000/60' };

/** Starts the program on an empty database with a heap of so many megabytes. */
export async function startAttackedProcess(
  databaseUrl: string,
  { heapMb, env = {} }: { readonly heapMb: number; readonly env?: Environment },
): Promise<AttackedProcess> {
  const installation = makeInstallation('civic-attacked-', { DATABASE_URL: databaseUrl });
  const memoryFile = join(installation.folder, 'memory');
  const errors: string[] = [];
  let running: (Running & { readonly ready: Promise<Service> }) | undefined;
  let service: Service;
  let pid: number | null = null;
  const restart = async (): Promise<void> => {
    running?.kill('SIGKILL');
    await running?.ended;
    const started = installation.launch({
      env: {
        NODE_OPTIONS: `--max-old-space-size=${heapMb} --import ${KEPT_BY_HEAP}`,
        SOAK_MEMORY_FILE: memoryFile,
        CIVIC_LOG_LEVEL: 'warn',
        ...UNLIMITED,
        ...env,
      },
    });
    running = started;
    service = await started.ready;
    pid = started.pid;
    const watch = async (): Promise<void> => {
      const { stderr } = await started.ended;
      if (running === started) pid = null;
      errors.push(...errorLines(stderr));
    };
    void watch();
  };
  await restart();
  return {
    get pid() {
      return pid;
    },
    get baseUrl() {
      return service.baseUrl;
    },
    get port() {
      return Number(new URL(service.baseUrl).port);
    },
    get opsUrl() {
      return service.opsUrl;
    },
    get ended() {
      return running!.ended;
    },
    memoryFile,
    restart,
    async makeFacts() {
      const [account] = await writeFirstRecords(databaseUrl, 1);
      return makeFacts(service.baseUrl, account!.key);
    },
    async stop() {
      running?.kill('SIGTERM');
      await running?.ended;
      await installation.close();
      return errors;
    },
  };
}
