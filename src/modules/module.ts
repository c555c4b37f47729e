import type { Reactor } from '../../domain/ports/reactors.ts';
import type { CustomerAnswers, PublicAnswers } from '../edge/answers/exchange.ts';
import type { ToolFunctions } from '../edge/mcp/run-tool.ts';
import type { Work } from '../processors/roles.ts';
import type { JobPart } from '../processors/runtime/jobs.ts';

/** The contributions of a capability to the program. `src/composition.ts` lists the modules. */
export interface Module {
  readonly operations?: Partial<CustomerAnswers>;
  readonly publicOperations?: Partial<PublicAnswers>;
  readonly tools?: Partial<ToolFunctions>;
  readonly reactors?: readonly Reactor[];
  readonly jobs?: readonly Job[];
}

interface JobTimes {
  /** Decides which roles run it. */
  readonly work: Work;
  /** For log lines: what fails. */
  readonly what: string;
  /** Milliseconds from the end of one run to the next. */
  readonly everyMs: number;
}

export type Job = JobTimes &
  (
    | {
        /** Name of the lease that one process at a time runs it under; null where every process runs it. */
        readonly lease: string | null;
        readonly run: (signal: AbortSignal) => Promise<unknown>;
      }
    | { readonly parts: () => Promise<readonly JobPart[]> }
  );
