import type { RecordOutcome } from '../../../commands/records/handle-each.ts';
import type { RecordChange, RecordWriter } from '../../../commands/records/write-records.ts';
import { canonicalJson } from '../../../domain/digests.ts';
import type { Position } from '../../../domain/ports/event-log.ts';
import type { PublishedRecords } from '../../../domain/ports/projection.ts';
import { RECORD_SCHEMAS, type RecordData, type Resource } from '../../../domain/records/resources.ts';

interface Stored {
  readonly resource: Resource;
  readonly id: string;
  readonly content: Record<string, unknown>;
  readonly createdAt: string;
}

/** Records in memory. Normalises by the record schemas and distinguishes appended, unchanged and rejected, as the service does. */
export class MemoryRecords implements RecordWriter, PublishedRecords {
  readonly records = new Map<string, Stored>();
  readonly log: {
    readonly op: RecordChange['op'];
    readonly resource: Resource;
    readonly id: string;
    readonly reason?: string | null;
  }[] = [];
  largestBatch = 0;
  /** Time of creation of the records that are written from now on. */
  time = '2026-01-01T00:00:00.000Z';

  async write(changes: readonly RecordChange[]): Promise<readonly RecordOutcome[]> {
    this.largestBatch = Math.max(this.largestBatch, changes.length);
    return changes.map((change) => this.#apply(change));
  }

  #apply(change: RecordChange): RecordOutcome {
    const before = this.records.get(change.id);
    if (change.op === 'remove') {
      if (before === undefined) return { kind: 'unchanged' };
      this.records.delete(change.id);
      return this.#appended({ op: 'remove', resource: change.resource, id: change.id, reason: change.reason ?? null });
    }
    const parsed = RECORD_SCHEMAS[change.resource].safeParse(change.content);
    if (!parsed.success)
      return { kind: 'rejected', reason: parsed.error.issues.map((issue) => issue.message).join('; ') };
    if (before !== undefined && canonicalJson(before.content) === canonicalJson(parsed.data))
      return { kind: 'unchanged' };
    const createdAt = before?.createdAt ?? this.time;
    this.records.set(change.id, { resource: change.resource, id: change.id, content: parsed.data, createdAt });
    return this.#appended({ op: 'upsert', resource: change.resource, id: change.id });
  }

  #appended(entry: MemoryRecords['log'][number]): RecordOutcome {
    this.log.push(entry);
    return { kind: 'appended', position: String(this.log.length).padStart(12, '0') as Position };
  }

  async referring(resource: Resource, field: string, targets: readonly string[]): Promise<readonly string[]> {
    return this.all(resource)
      .filter((record) => targets.includes(String(record.content[field])))
      .map((record) => record.id);
  }

  async current<R extends Resource>(resource: R, ids: readonly string[]): Promise<ReadonlyMap<string, RecordData<R>>> {
    const matching = new Map<string, RecordData<R>>();
    for (const id of ids) {
      const record = this.records.get(id);
      if (record?.resource !== resource) continue;
      const { content, createdAt } = record;
      matching.set(id, { ...content, id, createdAt, updatedAt: createdAt } as unknown as RecordData<R>);
    }
    return matching;
  }

  all(resource: Resource): Stored[] {
    return [...this.records.values()].filter((record) => record.resource === resource);
  }

  /** The content of the one record that has this value in the field. */
  one(resource: Resource, field: string, value: unknown): Record<string, unknown> {
    const matching = this.all(resource).filter((record) => record.content[field] === value);
    if (matching[0] === undefined || matching.length > 1)
      throw new Error(`${matching.length} ${resource} have ${field} = ${String(value)}`);
    return matching[0].content;
  }
}
