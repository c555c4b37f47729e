/** What a process has carried to and from Kafka since its start. */
export interface CarriedFigures {
  readonly published: number;
  /** Feed position of the last message. */
  readonly position: number;
  readonly appended: number;
  readonly unchanged: number;
  readonly rejected: number;
}
