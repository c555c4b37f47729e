import type { Civic, Role } from '../app/civic.ts';
import type { DocumentReader } from '../../domain/ports/documents.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { Stores } from '../../domain/ports/stores.ts';
import type { Connectors } from '../sources/added-sources.ts';
import type { Settings } from '../app/settings.ts';
import type { Examination } from './doctor/examine.ts';

export interface CliContext {
  readonly open: (role: Role) => Promise<Civic>;
  /** Opens a sandbox with these settings, whose clock runs `ahead()` milliseconds ahead of the machine's clock. */
  readonly openAhead: (settings: Settings, ahead: () => number) => Promise<Civic>;
  /** Opens the stores without checking their content; for commands that fill or repair them. */
  readonly openStores: (role: Role) => Promise<Stores>;
  /** Opens the reader of PDF, DOCX and HTML. The caller closes it. */
  readonly openDocuments: () => Promise<DocumentReader>;
  /** Opens the connectors without an installation. */
  readonly openConnectors: () => Promise<{ readonly connectors: Connectors; readonly clock: Clock }>;
  readonly examination: Examination;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly stdin: NodeJS.ReadStream;
  /** Aborts at SIGTERM or SIGINT. */
  readonly stopping: AbortSignal;
  /** Aborts at the second signal: the command stops waiting for other processes. */
  readonly hurrying: AbortSignal;
}

/** Exit status for wrong arguments: a value, a name or a combination that is invalid in every state of the service. */
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
