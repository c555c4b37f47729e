/** Keeps the first success; a failure is told to who asked, and not kept. */
export const kept = <Value>(make: () => Value | Promise<Value>): (() => Promise<Value>) => {
  let value: Promise<Value> | undefined;
  return async () => {
    value ??= Promise.resolve().then(make);
    try {
      return await value;
    } catch (error) {
      value = undefined;
      throw error;
    }
  };
};
