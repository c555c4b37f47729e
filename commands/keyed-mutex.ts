/** Runs work of one name sequentially, in the order of the calls. */
export type KeyedMutex = <Result>(name: string, work: () => Promise<Result>) => Promise<Result>;

/**
 * A mutex per name within this process. It avoids conflicts between concurrent commands on one stream. Correctness depends on the
 * expected revision, not on this mutex.
 */
export function createKeyedMutex(): KeyedMutex {
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
}
