import {
  type AddedSource,
  readSourceListEvent,
  sourceKey,
  type SourceListEvent,
  type SourceRef,
} from '../../domain/events/source-events.ts';
import type { EventLog } from '../../domain/ports/event-log.ts';
import { Rejection } from '../../domain/rejections.ts';
import { SOURCE_LIST_STREAM } from '../../domain/streams.ts';
import type { Decider } from '../decider.ts';
import { type CommandPorts, foldStream, handle, type Handled } from '../handle.ts';

/** Every source that was ever added, by key, with its latest state. */
type SourceList = ReadonlyMap<string, AddedSource & { readonly isRemoved: boolean }>;
type SourceListCommand =
  | { readonly type: 'AddSource'; readonly added: AddedSource }
  | { readonly type: 'RemoveSource'; readonly removed: SourceRef };

/** Returns the refusal of a source whose place has another name or time zone: a place has one of each. */
function refusePlace({ jurisdiction }: AddedSource, sources: SourceList): Rejection | null {
  const other = sources.values().find((one) => !one.isRemoved && one.jurisdiction.slug === jurisdiction.slug);
  if (other === undefined) return null;
  const { name, timezone } = other.jurisdiction;
  if (name === jurisdiction.name && timezone === jurisdiction.timezone) return null;
  return new Rejection(
    'invalid_parameter',
    `${jurisdiction.slug} has already been added as "${name}" in ${timezone}: give the same name and time zone`,
  );
}

const isListed = (sources: SourceList, ref: SourceRef): boolean => sources.get(sourceKey(ref))?.isRemoved === false;

export const sourceListDecider: Decider<SourceList, SourceListCommand, SourceListEvent> = {
  initialState: () => new Map(),
  decide(command, sources) {
    switch (command.type) {
      case 'AddSource': {
        const { added } = command;
        if (isListed(sources, added)) {
          return new Rejection(
            'invalid_parameter',
            `${sourceKey(added)} has already been added: remove it before you add it with other options`,
          );
        }
        return refusePlace(added, sources) ?? [{ type: 'SourceAdded', data: added }];
      }
      case 'RemoveSource':
        return isListed(sources, command.removed) ? [{ type: 'SourceRemoved', data: command.removed }] : [];
    }
  },
  evolve(sources, event) {
    const key = sourceKey(event.data);
    switch (event.type) {
      case 'SourceAdded':
        return new Map(sources).set(key, { ...event.data, isRemoved: false });
      case 'SourceRemoved': {
        const added = sources.get(key);
        return added === undefined ? sources : new Map(sources).set(key, { ...added, isRemoved: true });
      }
    }
  },
  read: readSourceListEvent,
  schemaVersion: 2,
};

/**
 * Reads the sources from the log, so that every process has the same list. Includes removed sources, whose records
 * might still exist.
 */
export const readSourceList = async (log: EventLog): Promise<SourceList> =>
  (await foldStream({ log }, sourceListDecider, SOURCE_LIST_STREAM)).state;

/**
 * Adds or removes a source. Refuses a source that is already added, and another name or time zone of its place, with
 * `invalid_parameter`.
 */
export function changeSourceList(ports: CommandPorts, command: SourceListCommand, deadline: number): Promise<Handled> {
  const commandId = ports.identifiers.next();
  return handle({
    ...ports,
    decider: sourceListDecider,
    stream: SOURCE_LIST_STREAM,
    command,
    commandId,
    context: {},
    deadline,
  });
}
