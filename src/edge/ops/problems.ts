import type { OpsState, Problem, Shared } from './ops-state.ts';

const SLOW_SECONDS = 60;
const NAMED = 3;

const failing = (text: string): Problem => ({ severity: 'failing', text });
const attention = (text: string): Problem => ({ severity: 'attention', text });

/** Problems, worst first: what cannot be read or written, then what stands still, then what lags. */
export function problemsOf(state: Pick<OpsState, 'database' | 'shared'>): readonly Problem[] {
  const { shared } = state;
  const found = [...ofDatabase(state.database), ...(shared === null ? [] : ofShared(shared))];
  return [...found.filter(({ severity }) => severity === 'failing'), ...found.filter(({ severity }) => severity === 'attention')];
}

function ofDatabase({ state }: OpsState['database']): readonly Problem[] {
  switch (state) {
    case 'answers':
      return [];
    case 'slow':
      return [attention('The database or the log is slow to answer; the figures may be old')];
    case 'hangs':
      return [failing('The database or the log hangs: it takes questions and answers none; the figures are old')];
    case 'unreachable':
      return [failing('The database cannot be read; the figures are old')];
    case 'log-unreachable':
      return [failing('The log cannot be reached: nothing can be written; the figures are old')];
  }
}

const ofShared = (shared: Shared): readonly Problem[] => [
  ...shared.setBacks.map(({ held, head, noticedAt }) =>
    failing(`The log was set back from ${held} to ${head}, noticed ${noticedAt}; run civic feed acknowledge once you have seen this`),
  ),
  ...shared.projections.flatMap(({ name, state, reason, lagSeconds }) => {
    if (state === 'paused') return [failing(`Projection ${name} is paused: ${reason ?? 'no reason is known'}`)];
    if (state === 'stopped') return [failing(`Projection ${name} stands still: no process folds it`)];
    return lagSeconds > SLOW_SECONDS ? [attention(`Projection ${name} is ${Math.round(lagSeconds)} s behind`)] : [];
  }),
  ...shared.reactors.flatMap(({ name, state, reason }) => {
    if (state === 'paused') return [failing(`Reactor ${name} is paused: ${reason ?? 'no reason is known'}`)];
    return state === 'stopped' ? [attention(`Reactor ${name} stands still: no process runs it`)] : [];
  }),
  ...shared.rebuilds.flatMap(({ name, state, reason }) => {
    if (state === 'refused') return [attention(`The rebuild of ${name} was refused: ${reason ?? 'no reason is known'}`)];
    return state === 'paused' ? [attention(`The rebuild of ${name} is paused: ${reason ?? 'no reason is known'}`)] : [];
  }),
  ...ofSources(shared.sources),
  ...shared.payments
    .filter(({ state, count }) => state === 'RECONCILE' && count > 0)
    .map(({ count }) => attention(`${count} ${count === 1 ? 'payment' : 'payments'} of unknown outcome to reconcile`)),
];

function ofSources({ bad, more }: Shared['sources']): readonly Problem[] {
  if (bad.length === 0) return [];
  const names = bad.slice(0, NAMED).map(({ place, status }) => `${place} (${status})`);
  const others = bad.length + more - names.length;
  const all = bad.length + more;
  const listed = `${names.join(', ')}${others > 0 ? ` and ${others} more` : ''}`;
  return [attention(`${all} ${all === 1 ? 'source is' : 'sources are'} not well: ${listed}`)];
}
