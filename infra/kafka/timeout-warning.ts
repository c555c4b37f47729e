/**
 * kafkajs 2.2.4 starts a timer of -1 ms at every connection (its issue 1751, whose fix was never released): Node 24 warns of it once. The
 * warning names nothing that an operator could do, so that very one is left out; all others pass.
 */
let isInstalled = false;

export const leaveOutTimeoutWarning = (): void => {
  if (isInstalled) return;
  isInstalled = true;
  const emit = process.emitWarning.bind(process) as (...told: readonly unknown[]) => void;
  process.emitWarning = (...told: readonly unknown[]): void => {
    if (told[1] === 'TimeoutNegativeWarning' && /[\\/]kafkajs[\\/]/.test(new Error('asked from where').stack ?? '')) return;
    emit(...told);
  };
};
