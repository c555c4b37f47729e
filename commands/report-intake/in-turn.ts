/** Work of one name is done one after the other, in the order in which it was asked for; work of different names does not wait. */
export const createTurns = () => {
  const last = new Map<string, Promise<unknown>>();
  return async <Result>(name: string, work: () => Promise<Result>): Promise<Result> => {
    const before = last.get(name);
    const mine = (async () => {
      await before?.catch(() => undefined);
      return work();
    })();
    last.set(name, mine);
    try {
      return await mine;
    } finally {
      if (last.get(name) === mine) last.delete(name);
    }
  };
};
