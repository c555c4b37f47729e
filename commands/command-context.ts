import type { EventMetadata } from '../src/domain/ports/event-log.ts';

/** Who a command is issued for; becomes the events' metadata. */
export type CommandContext = Omit<EventMetadata, 'commandId'>;
