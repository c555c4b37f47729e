/** What goes wrong at the peer, until it is used up or taken back. */
export interface PeerFaults {
  /** So many next calls are refused as unavailable. */
  refuseCalls: number;
  /** So many next appends are stored, and the connection is cut instead of an answer. */
  cutAfterStoring: number;
  /** The same, without storing. */
  cutBeforeStoring: number;
  /** So many next appends are stored and never answered, over a connection that stands. */
  neverAnswer: number;
  /** So many next appends are refused because the server is busy. */
  busy: number;
  /** Subscriptions stay open and are told nothing. */
  muteSubscriptions: boolean;
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
  leaderPort: 0,
});

/** Uses a fault up; true while there was one left. */
export const takeFault = (
  faults: PeerFaults,
  name: 'refuseCalls' | 'cutAfterStoring' | 'cutBeforeStoring' | 'neverAnswer' | 'busy',
): boolean => {
  if (faults[name] === 0) return false;
  faults[name] -= 1;
  return true;
};
