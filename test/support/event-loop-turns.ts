/** Numbers the turns of the event loop until it is stopped. */
export function countTurns(): { readonly turn: () => number; readonly stop: () => void } {
  let [turn, isOver] = [0, false];
  const count = (): void => {
    turn += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  return { turn: () => turn, stop: () => void (isOver = true) };
}
