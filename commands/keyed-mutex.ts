/**
 * Runs work of the same name sequentially within this process. This avoids conflicts; correctness depends only on the
 * expected revision.
 */
export function createKeyedMutex(): <Result>(name: string, work: () => Promise<Result>) => Promise<Result> {
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
