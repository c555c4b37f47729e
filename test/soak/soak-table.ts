import type { SoakResult } from './run-soak.ts';
import type { SoakPlan } from './soak-plan.ts';

function lines(title: string, rows: readonly (readonly string[])[]): string {
  const widths = rows.reduce<number[]>((most, row) => row.map((cell, at) => Math.max(most[at] ?? 0, cell.length)), []);
  return `\n${title}\n${rows
    .map(
      (row) =>
        `  ${row
          .map((cell, at) => cell.padEnd(widths[at]!))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('')}`;
}

const milliseconds = (value: number): string => `${Math.round(value)} ms`;

/** Output of `npm run soak` at its end. */
export function soakTable(
  { seed }: SoakPlan,
  { failures, suffered, answers, memory, errors, done }: SoakResult,
): string {
  const kinds = [...new Set(suffered.map(({ kind }) => kind))].toSorted();
  const recoveries = kinds.map((kind) => {
    const of = suffered.filter((one) => one.kind === kind);
    const times = of.flatMap(({ readyAfterMs }) => (readyAfterMs === null ? [] : [readyAfterMs]));
    const late = of.length - times.length;
    return [
      kind,
      `${of.length} times`,
      `ready after ${milliseconds(Math.max(0, ...times))} at most`,
      late === 0 ? '' : `${late} NOT IN TIME`,
    ];
  });
  const grown = memory
    .filter(({ seconds }) => seconds > 20)
    .map(
      ({
        member,
        seconds,
        firstMb,
        lastMb,
        mostMb,
        growthMbAMinute,
        keptGrowthMbAMinute,
        descriptors,
        mostConnections,
        lagMs,
      }) => [
        member,
        `${Math.round(seconds)} s`,
        `${Math.round(firstMb)} to ${Math.round(lastMb)} MB (${Math.round(mostMb)} at most)`,
        growthMbAMinute === null ? '' : `${growthMbAMinute.toFixed(2)} MB a minute`,
        keptGrowthMbAMinute === null ? '' : `keeps ${keptGrowthMbAMinute.toFixed(2)} MB a minute more`,
        `${descriptors.join('/')} descriptors`,
        `${mostConnections} connections at most`,
        `lag ${lagMs.map(milliseconds).join(' to ')}`,
      ],
    );
  return [
    `soak with seed ${seed}: ${failures.length === 0 ? 'nothing was wrong' : `${failures.length} WRONG`}`,
    lines('faults', recoveries),
    lines(
      'answers',
      [...answers].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([what, times]) => [what, String(times)]),
    ),
    lines(
      'done',
      Object.entries(done).map(([what, times]) => [what, String(times)]),
    ),
    lines('processes', grown),
    ...(errors.size === 0
      ? []
      : [
          lines(
            'errors in the logs',
            [...errors].map(([what, times]) => [`${times} times`, what]),
          ),
        ]),
    ...(failures.length === 0
      ? []
      : [
          lines(
            'WRONG',
            failures.map((failure) => [failure]),
          ),
        ]),
    '',
  ].join('\n');
}
