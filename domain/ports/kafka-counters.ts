/** Messages that a process has exchanged with Kafka since its start. */
export interface KafkaCounters {
  readonly published: number;
  readonly position: number;
  readonly appended: number;
  readonly unchanged: number;
  readonly rejected: number;
}
