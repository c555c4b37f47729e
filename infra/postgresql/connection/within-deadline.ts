import { DeadlineExceeded } from '../../../domain/ports/database.ts';

/** Rejects with `DeadlineExceeded` if the work takes longer. The work itself continues, and its result is ignored. */
export async function withinDeadline<Result>(deadlineMs: number, work: () => Promise<Result>): Promise<Result> {
  const deadline = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    deadline.reject(new DeadlineExceeded('the database did not answer by the deadline'));
  }, deadlineMs);
  try {
    return await Promise.race([work(), deadline.promise]);
  } finally {
    clearTimeout(timer);
  }
}
