/** What one call is allowed to do still: until it settles it can be called off at any time, from then on never. */
export interface PointOfNoReturn {
  readonly calledOff: AbortSignal;
  /** Throws when the call was called off; from here on it cannot be. */
  pass(): void;
  readonly passed: boolean;
  /** Calls it off; false when it is too late for that. */
  callOff(reason: Error): boolean;
}

export const createPointOfNoReturn = (): PointOfNoReturn => {
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
};
