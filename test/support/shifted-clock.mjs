/** Preloaded into a program, so that its machine's clock seems to be wrong by so many milliseconds. */
const by = Number(process.env.TEST_CLOCK_SHIFT_MS);
const Right = Date;
globalThis.Date = class Date extends Right {
  constructor(...given) {
    super(...(given.length === 0 ? [Right.now() + by] : given));
  }
  static now() {
    return Right.now() + by;
  }
};
