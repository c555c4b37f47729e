import type { Civic, Role } from '../civic.ts';
import type { Stores } from '../../domain/ports/stores.ts';
import type { Settings } from '../settings.ts';
import type { Examination } from './doctor/examine.ts';

export interface CliContext {
  readonly open: (role: Role) => Promise<Civic>;
  /** A sandbox with these settings, ahead of the machine's time by what `ahead` says then, in milliseconds. */
  readonly openAhead: (settings: Settings, ahead: () => number) => Promise<Civic>;
  /** Whatever they contain; for commands that fill or repair them. */
  readonly openStores: (role: Role) => Promise<Stores>;
  readonly examination: Examination;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly stdin: NodeJS.ReadStream;
  /** Aborts at SIGTERM or SIGINT. */
  readonly stopping: AbortSignal;
  /** Aborts at the second signal: waits for other processes end. */
  readonly hurrying: AbortSignal;
}

/** Exit status of wrong arguments: of a value, a name or a combination that is refused in every state of the service. */
export const MISUSE = 2;

/** An expected failure of a command: a line for standard error and an exit status. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
  readonly exitCode: number;
  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}
