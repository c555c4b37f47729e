import { z } from 'zod';
import { canonicalJson } from '../digests.ts';
import { ACCOUNT_EVENTS, SUBSCRIPTION_EVENTS } from '../events/account-events.ts';
import { PROJECTION_EVENT_SKIPPED, projectionEventSkipped } from '../events/feed-events.ts';
import { RECORD_PUBLISHED, RECORD_WITHDRAWN, recordWithdrawn } from '../events/record-events.ts';
import {
  ACCOUNT_REPORT_EVENTS,
  REPORT_EVENTS,
  REPORT_SWITCH_TURNED,
  reportInput,
  reportSwitchTurned,
} from '../events/report-events.ts';
import { uuid } from '../records/fields.ts';
import { isResource, RECORD_SCHEMAS } from '../records/resources.ts';
import { sourceUrlRefusal } from '../source-url.ts';
import { category } from '../streams.ts';
import { pointerOf, type TextAt } from './erase-from-event.ts';

/**
 * The erasable texts of each event, as JSON pointers; `*` is any key. Every text of a published record is erasable,
 * except ids and times that the service adds.
 */
const PLACES: Readonly<Record<string, readonly string[]>> = {
  [RECORD_WITHDRAWN]: ['/reason'],
  AccountOpened: ['/name'],
  KeyLabelled: ['/label'],
  AccountPaymentFailed: ['/cause'],
  FeedSubscriptionCreated: ['/name'],
  DataReportSubmitted: ['/input/*'],
  DataReportMoved: ['/finding', '/nextAction', '/verifiedRecords/*/title'],
  DataReportNoted: ['/note'],
  [REPORT_SWITCH_TURNED]: ['/by', '/reason'],
  [PROJECTION_EVENT_SKIPPED]: ['/reason'],
};

const SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  ...ACCOUNT_EVENTS,
  ...SUBSCRIPTION_EVENTS,
  ...ACCOUNT_REPORT_EVENTS,
  ...REPORT_EVENTS,
  [RECORD_WITHDRAWN]: recordWithdrawn,
  [REPORT_SWITCH_TURNED]: reportSwitchTurned,
  [PROJECTION_EVENT_SKIPPED]: projectionEventSkipped,
};

/** True if the text at a path may be erased. Ids and times that the service adds are not erasable. */
export function isErasable(type: string, { path, text }: TextAt): boolean {
  const pointer = pointerOf(path);
  if (uuid.safeParse(text).success) return false;
  if (type === RECORD_PUBLISHED) return !['/id', '/createdAt', '/updatedAt'].includes(pointer);
  return (PLACES[type] ?? []).some((place) => {
    const keys = place.slice(1).split('/');
    return keys.length === path.length && keys.every((key, nth) => key === '*' || key === path[nth]);
  });
}

function problem(error: z.ZodError): string {
  const [issue] = error.issues;
  return `/${issue?.path.map(String).join('/') ?? ''}: ${issue?.message ?? 'is not usable'}`;
}

/** Returns why the schema rejects the value or would change it; null if it does neither. */
function refuseBySchema(schema: z.ZodType, value: unknown): string | null {
  const parsed = schema.safeParse(value);
  if (!parsed.success) return problem(parsed.error);
  return canonicalJson(parsed.data) === canonicalJson(value)
    ? null
    : 'a text would be stored in another form: it must be trimmed, not empty and in normal form';
}

/** Returns why an event must not receive this value, or null. Readers rely on some fields. */
export function refusedAsData(stream: string, type: string, data: Readonly<Record<string, unknown>>): string | null {
  const resource = category(stream);
  if (type === RECORD_PUBLISHED && isResource(resource)) {
    const { id: _id, createdAt: _createdAt, updatedAt: _updatedAt, ...content } = data;
    return refuseBySchema(RECORD_SCHEMAS[resource], content);
  }
  const schema = SCHEMAS[type];
  if (schema === undefined) return `a ${type} has no erasable text`;
  const refusal = refuseBySchema(schema, data);
  if (refusal !== null || type !== 'DataReportSubmitted') return refusal;
  const url = sourceUrlRefusal(reportInput.parse(data['input']).sourceUrl);
  return url === null ? null : `/input/sourceUrl: ${url}`;
}
