import type { EventMetadata } from '../domain/ports/event-log.ts';

/** Who a command is issued for; becomes the events' metadata. */
export type CommandContext = Omit<EventMetadata, 'commandId'>;
