import type { EventMetadata } from '../domain/ports/event-log.ts';

/** The account, key and request behind a command; stored as metadata of its events. */
export type CommandContext = Omit<EventMetadata, 'commandId'>;
