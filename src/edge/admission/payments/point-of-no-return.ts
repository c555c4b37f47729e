/** Whether one call can still be cancelled: at any time before it settles, never afterwards. */
export interface PointOfNoReturn {
  readonly calledOff: AbortSignal;
  /** Throws when the call was called off; from here on it cannot be. */
  pass(): void;
  readonly passed: boolean;
  /** Calls it off; false when it is too late for that. */
  callOff(reason: Error): boolean;
}

export function createPointOfNoReturn(): PointOfNoReturn {
  const controller = new AbortController();
  let passed = false;
  return {
    calledOff: controller.signal,
    pass() {
      controller.signal.throwIfAborted();
      passed = true;
    },
    get passed() {
      return passed;
    },
    callOff(reason) {
      if (!passed) controller.abort(reason);
      return !passed;
    },
  };
}
