import { z } from 'zod';
import type { CheckpointForm } from '../decider.ts';
import type { IntakeState, KeptToken } from './intake-state.ts';

/**
 * A token is answered for ever, so the state has a row for each; a row is short, since what many rows say alike (who presented, where the
 * service was reached) is written once.
 */
const written = z.strictObject({
  aliases: z.array(z.string()),
  /** What a status URL is without the id of its report. */
  places: z.array(z.string()),
  tokens: z.array(
    z.tuple([z.string(), z.string(), z.string(), z.number(), z.number(), z.number().nonnegative(), z.array(z.number().nonnegative())]),
  ),
  newByDay: z.array(z.tuple([z.string(), z.number()])),
  unresolved: z.array(z.string()),
});
type Written = z.output<typeof written>;

/** Numbers texts in the order in which they first come. */
const numbering = () => {
  const numbers = new Map<string, number>();
  return {
    of(text: string): number {
      const number = numbers.get(text) ?? numbers.size;
      numbers.set(text, number);
      return number;
    },
    texts: (): string[] => [...numbers.keys()],
  };
};

const write = ({ tokens, newByDay, unresolved }: IntakeState): Written => {
  const aliases = numbering();
  const places = numbering();
  const rows = [...tokens].map(([key, { inputHash, receipt, aliases: presented }]): Written['tokens'][number] => {
    const { reportId, statusUrl, submittedAt, nextCheckAt } = receipt;
    const place = statusUrl.slice(0, -reportId.length);
    const times = [Date.parse(submittedAt), Date.parse(nextCheckAt)] as const;
    return [key, inputHash, reportId, ...times, places.of(place), presented.map((alias) => aliases.of(alias))];
  });
  return { aliases: aliases.texts(), places: places.texts(), tokens: rows, newByDay: [...newByDay], unresolved: [...unresolved] };
};

const read = (value: unknown): IntakeState => {
  const { aliases, places, tokens, newByDay, unresolved } = written.parse(value);
  const keptTokens = tokens.map(([key, inputHash, reportId, submittedAt, nextCheckAt, place, presented]): [string, KeptToken] => [
    key,
    {
      inputHash,
      receipt: {
        reportId,
        statusUrl: numbered(places, place) + reportId,
        submittedAt: new Date(submittedAt).toISOString(),
        nextCheckAt: new Date(nextCheckAt).toISOString(),
      },
      aliases: presented.map((number) => numbered(aliases, number)),
    },
  ]);
  return { tokens: new Map(keptTokens), newByDay: new Map(newByDay), unresolved: new Set(unresolved) };
};

const numbered = (texts: readonly string[], number: number): string => {
  const text = texts[number];
  if (text === undefined) throw new Error(`there is no text ${number}`);
  return text;
};

const EVENTS_BETWEEN = 50;

/** How an account's intake is kept between commands. */
export const intakeCheckpoint: CheckpointForm<IntakeState> = { name: 'report_intake', version: 1, every: EVENTS_BETWEEN, write, read };
