/** What the documents say of one operation in words; everything else they take from the contract. */
export interface Prose {
  readonly tag: keyof typeof TAGS;
  readonly summary: string;
  /** Markdown. */
  readonly description: string;
}

export const TAGS = {
  'Public records': 'What needs no key: agenda hits, coverage, source status and meeting cadence.',
  'Change feed': 'The ordered, replayable feed of every change of every record, and look-ups of current records.',
  Snapshots: 'Frozen exports that stand at one position of the feed.',
  Subscriptions: 'Named places in the feed, each bound to one key and one filter, that are polled.',
  Reports: 'Reports of public records that should be here and are not.',
  Tools: 'The same data for agents, by the Model Context Protocol.',
  Documents: 'This description.',
} as const;
