/**
 * Runs work of the same name sequentially within this process. This avoids conflicts; correctness depends only on the
 * expected revision.
 */
export function createKeyedMutex(): <Result>(name: string, work: () => Promise<Result>) => Promise<Result> {
  const tails = new Map<string, Promise<unknown>>();
  return (name, work) => {
    const previous = tails.get(name) ?? Promise.resolve();
    const turn = previous.then(work, work);
    tails.set(name, turn);
    const release = (): void => {
      if (tails.get(name) === turn) tails.delete(name);
    };
    turn.then(release, release);
    return turn;
  };
}
