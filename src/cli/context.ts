import type { Civic, Role } from '../civic.ts';
import type { Stores } from '../domain/ports/stores.ts';
import type { Examination } from './doctor/examine.ts';

/** What the commands are given by the entry point. */
export interface CliContext {
  readonly open: (role: Role) => Promise<Civic>;
  /** The database and the log alone, whatever is in them; for what fills them or puts them right. */
  readonly openStores: () => Promise<Stores>;
  /** What the doctor looks at. */
  readonly examination: Examination;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly stdin: NodeJS.ReadStream;
  /** Aborts at SIGTERM or SIGINT. */
  readonly stopping: AbortSignal;
  /** Aborts at the second of them: whoever waits for others waits no longer. */
  readonly hurrying: AbortSignal;
}

/** An expected failure of a command: one line for standard error, and the exit status. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
  readonly exitCode: number;
  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}
