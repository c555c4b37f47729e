/** The right to run a job once. The token grows with every lease. */
export interface JobLease {
  readonly name: string;
  readonly owner: string;
  readonly token: number;
}

/** Stores leases of jobs, exact among all processes on a database. Times are milliseconds of the lease clock. */
export interface JobLeases {
  /** Null when the job is not due, or another owner runs it. Writes nothing then. */
  take(name: string, owner: string, now: number, leaseMs: number): Promise<JobLease | null>;
  /** False when another owner has the lease. */
  renew(lease: JobLease, leaseUntil: number): Promise<boolean>;
  /** Ends the lease; without effect when another owner has it. */
  end(lease: JobLease, dueAt: number): Promise<void>;
}
