import type { ErasedStream } from '../../commands/erasure/erase-content.ts';
import type { Civic } from '../civic.ts';
import { dataReportSubmitted } from '../domain/events/report-events.ts';
import { LOG_START } from '../domain/ports/event-log.ts';
import { uuid } from '../domain/records/fields.ts';
import { RESOURCES } from '../domain/records/resources.ts';
import { accountFeedsStream, accountReportsStream, accountStream, recordStream, reportStream } from '../domain/streams.ts';
import { CommandFailed } from './context.ts';
import { parseOption } from './options.ts';

const idOf = (argument: string): string => parseOption('the id', uuid, argument, 'a uuid');

const existing = async ({ log }: Civic, streams: readonly string[], what: string): Promise<readonly ErasedStream[]> => {
  const last = await log.readLast(streams);
  if (last.size === 0) throw new CommandFailed(`there is no ${what}`);
  return streams.filter((stream) => last.has(stream)).map((stream) => ({ stream }));
};

/** Of each resource that has the id. */
export const recordStreams = (civic: Civic, argument: string): Promise<readonly ErasedStream[]> => {
  const id = idOf(argument);
  return existing(
    civic,
    RESOURCES.map((resource) => recordStream(resource, id)),
    `record ${id}`,
  );
};

export const accountStreams = (civic: Civic, argument: string): Promise<readonly ErasedStream[]> => {
  const id = idOf(argument);
  return existing(civic, [accountStream(id), accountFeedsStream(id), accountReportsStream(id)], `account ${id}`);
};

const PAGE = 1000;

/** The report's own stream, and its submission among all of its account's. */
export const reportStreams = async ({ log }: Civic, argument: string): Promise<readonly ErasedStream[]> => {
  const id = idOf(argument);
  for (let after = LOG_START; ; ) {
    const { events, scannedTo } = await log.readAll({ after, limit: PAGE, types: ['DataReportSubmitted'] });
    const submitted = events.find(({ data }) => data.includes(id) && dataReportSubmitted.parse(JSON.parse(data)).reportId === id);
    if (submitted !== undefined) {
      return [{ stream: submitted.stream, isWanted: (event) => event.id === submitted.id }, { stream: reportStream(id) }];
    }
    if (scannedTo === after) throw new CommandFailed(`there is no report ${id}`);
    after = scannedTo;
  }
};
