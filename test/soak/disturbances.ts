/**
 * The target of a fault: the database, one process, the connection of one process to the database, or the folding of
 * events.
 */
export type Touched = 'database' | 'folding' | `process ${string}` | `link ${string}`;

export interface Disturbance {
  readonly kind: string;
  readonly touched: readonly Touched[];
  readonly from: number;
  /** Infinity until everything works again. */
  to: number;
}

/** A statement that had been sent, or a pause before connecting again, ends this much later. */
const GRACE_MS = 2_500;

/** The faults by time: a refusal is excused only by a fault that can have caused it. */
export class Disturbances {
  readonly all: Disturbance[] = [];

  begin(kind: string, touched: readonly Touched[]): Disturbance {
    const disturbance = { kind, touched, from: performance.now(), to: Number.POSITIVE_INFINITY };
    this.all.push(disturbance);
    return disturbance;
  }

  end(disturbance: Disturbance): void {
    disturbance.to = performance.now();
  }

  /** True if one of the named targets, or any target, was disturbed in this time. */
  during(from: number, to: number, touched?: readonly Touched[]): boolean {
    return this.all.some(
      (each) =>
        each.from <= to &&
        each.to + GRACE_MS >= from &&
        (touched === undefined || each.touched.some((one) => touched.includes(one))),
    );
  }
}
