/** Runs work of one name after the other, in the order in which it was asked for. */
export type KeyedMutex = <Result>(name: string, work: () => Promise<Result>) => Promise<Result>;

/**
 * A mutex per name within this process. Commands on one stream that ask at once would meet each other's appends and decide again and again; taking
 * turns they meet only those of other processes. What must hold is held by the stream; this only saves the storm.
 */
export const createKeyedMutex = (): KeyedMutex => {
  const lasts = new Map<string, Promise<unknown>>();
  return (name, work) => {
    const before = lasts.get(name) ?? Promise.resolve();
    const turn = before.then(work, work);
    lasts.set(name, turn);
    const leave = (): void => {
      if (lasts.get(name) === turn) lasts.delete(name);
    };
    turn.then(leave, leave);
    return turn;
  };
};
