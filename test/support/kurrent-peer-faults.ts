/** The faults of the peer, until used up or reset. */
export interface PeerFaults {
  /** The number of next calls that are refused as unavailable. */
  refuseCalls: number;
  /** The number of next appends that are stored and whose connection is cut instead of an answer. */
  cutAfterStoring: number;
  /** The same, without storing. */
  cutBeforeStoring: number;
  /** The number of next appends that are stored and never answered, on an open connection. */
  neverAnswer: number;
  /** The number of next appends that are refused because the server is busy. */
  busy: number;
  /** Subscriptions stay open and get nothing. */
  muteSubscriptions: boolean;
  /** Milliseconds by which each event of a subscription is late. */
  delaySubscriptions: number;
  /** Milliseconds by which the answers of a read are late. */
  delayReads: number;
  /** A read ends some milliseconds after its last answer. */
  endLate: boolean;
  /** Calls that ask for the leader are sent to this port; 0: this node is the leader. */
  leaderPort: number;
}

export const noFaults = (): PeerFaults => ({
  refuseCalls: 0,
  cutAfterStoring: 0,
  cutBeforeStoring: 0,
  neverAnswer: 0,
  busy: 0,
  muteSubscriptions: false,
  delaySubscriptions: 0,
  delayReads: 0,
  endLate: false,
  leaderPort: 0,
});

/** Uses a fault up; true while there was one left. */
export function takeFault(
  faults: PeerFaults,
  name: 'refuseCalls' | 'cutAfterStoring' | 'cutBeforeStoring' | 'neverAnswer' | 'busy',
): boolean {
  if (faults[name] === 0) return false;
  faults[name] -= 1;
  return true;
}
