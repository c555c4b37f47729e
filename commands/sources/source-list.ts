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

/** Every source that was ever added, by its key; the last statement about each. */
type SourceList = ReadonlyMap<string, AddedSource & { readonly isRemoved: boolean }>;
type SourceListCommand =
  | { readonly type: 'AddSource'; readonly added: AddedSource }
  | { readonly type: 'RemoveSource'; readonly removed: SourceRef };

/** A place has one name and one time zone, however many sources write about it. */
function refusalOfPlace({ jurisdiction }: AddedSource, sources: SourceList): Rejection | null {
  const other = sources.values().find((one) => !one.isRemoved && one.jurisdiction.slug === jurisdiction.slug);
  if (other === undefined) return null;
  const { name, timezone } = other.jurisdiction;
  if (name === jurisdiction.name && timezone === jurisdiction.timezone) return null;
  return new Rejection(
    'invalid_parameter',
    `${jurisdiction.slug} is added already as "${name}" in ${timezone}: give the same name and time zone`,
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
          return new Rejection('invalid_parameter', `${sourceKey(added)} is added already: remove it before you add it with other options`);
        }
        return refusalOfPlace(added, sources) ?? [{ type: 'SourceAdded', data: added }];
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
  schemaVersion: 1,
};

/** From the log, so that every process reads the same. Removed sources are in it, as their records may still be there. */
export const readSourceList = async (log: EventLog): Promise<SourceList> =>
  (await foldStream({ log }, sourceListDecider, SOURCE_LIST_STREAM)).state;

/** Refuses with `invalid_parameter` a source that is added already, and another name or time zone of its place. */
export function changeSourceList(ports: CommandPorts, command: SourceListCommand, deadline: number): Promise<Handled> {
  const commandId = ports.identifiers.next();
  return handle({ ...ports, decider: sourceListDecider, stream: SOURCE_LIST_STREAM, command, commandId, context: {}, deadline });
}
