/** Work of one name runs sequentially within this process. It avoids conflicts; correctness depends on the expected revision alone. */
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
