/** Preloaded into a process: offsets its clock by the given milliseconds. */
const by = Number(process.env.TEST_CLOCK_SHIFT_MS);
const Right = Date;
globalThis.Date = class Date extends Right {
  constructor(...args) {
    super(...(args.length === 0 ? [Right.now() + by] : args));
  }
  static now() {
    return Right.now() + by;
  }
};
