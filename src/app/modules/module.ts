import type { Reactor } from '../../../domain/ports/reactors.ts';
import type { CustomerAnswers, PublicAnswers } from '../../edge/answers/exchange.ts';
import type { ToolFunctions } from '../../edge/mcp/run-tool.ts';
import type { Work } from '../roles.ts';
import type { JobPart } from '../../processors/runtime/job-parts.ts';

/** The contributions of a capability to the program. `src/app/composition.ts` lists the modules. */
export interface Module {
  readonly operations?: Partial<CustomerAnswers>;
  readonly publicOperations?: Partial<PublicAnswers>;
  readonly tools?: Partial<ToolFunctions>;
  readonly reactors?: readonly Reactor[];
  readonly jobs?: readonly Job[];
}

interface JobTimes {
  /** Selects the roles that run the job. */
  readonly work: Work;
  /** Names the job in log lines about failures. */
  readonly what: string;
  /** Milliseconds from the end of one run to the next. */
  readonly everyMs: number;
}

export type Job = JobTimes &
  (
    | {
        /** Name of the lease; one process at a time runs the job under it. Null if every process runs the job. */
        readonly lease: string | null;
        readonly run: (signal: AbortSignal) => Promise<unknown>;
      }
    | { readonly parts: () => Promise<readonly JobPart[]> }
  );
