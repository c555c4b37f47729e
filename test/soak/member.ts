import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import type { Installation, Running, Service, ServiceStart } from '../support/service.ts';
import type { Link } from './links.ts';
import type { Disturbances } from './disturbances.ts';
import type { Failures } from './failures.ts';

const PRELOADED = ['stepped-clock.ts', 'kept-by-heap.ts']
  .map((file) => `--import ${new URL(file, import.meta.url).href}`)
  .join(' ');
const START_AGAIN_MS = 200;

export interface MemberParts {
  readonly name: string;
  readonly role: NonNullable<ServiceStart['role']>;
  readonly installation: Installation;
  /** Its own connection to the database. */
  readonly link: Link;
  readonly databaseUrl: string;
  readonly disturbances: Disturbances;
  readonly failures: Failures;
}

interface Life {
  readonly running: Running;
  readonly service: Service;
}

/** One process of the service under a supervisor: restarted after each fault; an end without a fault is a failure. */
export class Member {
  readonly name: string;
  readonly link: Link;
  readonly #parts: MemberParts;
  #life: Life | undefined;
  #expectsEnd = false;
  /** Lines of level error in its log, over all restarts. */
  readonly errors: string[] = [];
  lives = 0;

  constructor(parts: MemberParts) {
    this.#parts = parts;
    this.name = parts.name;
    this.link = parts.link;
    this.#setClock(0);
  }

  get role(): MemberParts['role'] {
    return this.#parts.role;
  }

  /** Null while it is not up. */
  get baseUrl(): string | null {
    return this.#life?.service.baseUrl ?? null;
  }

  get opsUrl(): string | null {
    return this.#life?.service.opsUrl ?? null;
  }

  get pid(): number | null {
    return this.#life?.running.pid ?? null;
  }

  /** Starts it, repeatedly while the database is disturbed; resolves when it is up. */
  async start(): Promise<void> {
    const { installation, databaseUrl, role, name, disturbances, failures } = this.#parts;
    for (;;) {
      const from = performance.now();
      const env = {
        DATABASE_URL: databaseUrl,
        NODE_OPTIONS: PRELOADED,
        SOAK_MEMORY_FILE: this.memoryFile,
        SOAK_CLOCK_FILE: this.#clockFile,
        CIVIC_REPORT_CLIENT_LIMIT: '1000000/60',
        CIVIC_PUBLIC_LIMIT: '1000000/60',
        CIVIC_LOG_LEVEL: 'warn',
      };
      const running = installation.launch({ role, env });
      try {
        const service = await running.ready;
        this.#expectsEnd = false;
        this.#life = { running, service };
        this.lives += 1;
        void this.#watch(running);
        return;
      } catch (error) {
        if (!disturbances.during(from, performance.now(), ['database', `link ${name}`])) {
          failures.add(`${name} did not start: ${(error as Error).message}`);
          throw error;
        }
        await after(START_AGAIN_MS);
      }
    }
  }

  async #watch(running: Running): Promise<void> {
    const ended = await running.ended;
    this.#life = undefined;
    this.errors.push(...errorLines(ended.stderr));
    if (this.#expectsEnd) return;
    this.#parts.failures.add(
      `${this.name} ended by itself (${ended.exitCode ?? ended.signal}): ${ended.stderr.slice(-600)}`,
    );
  }

  /** Ends the process like `kill -9` or like an operator. Resolves when it has ended. */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const life = this.#life;
    if (life === undefined) return;
    this.#expectsEnd = true;
    life.running.kill(signal);
    const { exitCode, stderr } = await life.running.ended;
    if (signal === 'SIGTERM' && exitCode !== 0) {
      this.#parts.failures.add(`${this.name} ended with ${exitCode} after SIGTERM: ${stderr.slice(-600)}`);
    }
  }

  freeze(): void {
    this.#life?.running.kill('SIGSTOP');
  }

  thaw(): void {
    this.#life?.running.kill('SIGCONT');
  }

  /** Sets the offset of its wall clock in milliseconds; a restart keeps it. */
  stepClock(offsetMs: number): void {
    this.#setClock(offsetMs);
    this.#life?.running.kill('SIGUSR2');
  }

  /** The file of memory figures of its processes (kept-by-heap.ts). */
  get memoryFile(): string {
    return join(this.#parts.installation.folder, `${this.#parts.name}.memory`);
  }

  get #clockFile(): string {
    return join(this.#parts.installation.folder, `${this.#parts.name}.clock`);
  }

  #setClock(offsetMs: number): void {
    writeFileSync(this.#clockFile, String(offsetMs));
  }
}

const ERROR = 50;

/** Lines of level error in a log, and lines that are no log lines, which a crashing process prints. */
export const errorLines = (stderr: string): readonly string[] =>
  stderr.split('\n').filter((line) => {
    try {
      return (JSON.parse(line) as { level?: number }).level! >= ERROR;
    } catch {
      return line.trim() !== '';
    }
  });
