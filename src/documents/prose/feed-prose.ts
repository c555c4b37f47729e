import type { Prose } from './prose.ts';

export const FEED_PROSE = {
  readCivicChanges: {
    tag: 'Change feed',
    summary: 'Read the change feed',
    description: `Changes in order, each with its own \`cursor\`. Store \`meta.nextCursor\` after you have committed the page, also when it holds no
items: an empty page may still advance to the head. Without a cursor the read starts at the oldest replayable position.

**Without a cursor you get no copy of the data once the feed is older than 30 days.** Changes that are no longer replayable are left out, and on a
feed without a change in 30 days the page is empty although there are records. Such a page has \`historyPruned: true\` in \`meta\`, with the recovery:
take a snapshot, read it, and go on from its \`boundaryCursor\`.

A cursor minted by a filtered read stays bound to that filter, and one minted by an unfiltered read to no filter at all: with another filter it
is 400. A snapshot's \`boundaryCursor\` is bound to nothing. Changes are replayable for 30 days; an older position is 410 \`cursor_expired\`, and so is
a cursor of another feed or beyond the head. Recovery: take a snapshot and go on from its \`boundaryCursor\`.`,
  },
  readCivicRecords: {
    tag: 'Change feed',
    summary: 'Read current records by their ids',
    description: `The current state of up to 100 records. What is unknown, removed or no uuid is simply absent, so compare the ids of the answer
with those that you asked for. An id that is asked for twice is answered once.`,
  },
  readCivicHealth: {
    tag: 'Change feed',
    summary: 'Read how sources and pipeline stand',
    description: `What was observed of the sources and how far the pipeline has come, with the head of the feed and the state digests there. A degraded
or unavailable service still answers 200: judge by \`status\`. A part that fails or does not answer in time is named in \`pipeline.unanswered\`; without the
log or the feed the state is \`unavailable\`.`,
  },
  createCivicSnapshot: {
    tag: 'Snapshots',
    summary: 'Take a frozen export',
    description: `Freezes the state of every record at one position of the feed, for seven days. The request body is ignored. After every resource
has been read, consume changes from \`boundaryCursor\`: nothing is missing in between, and nothing comes twice. Takes one unit of the hourly export
allowance.`,
  },
  readCivicSnapshotPage: {
    tag: 'Snapshots',
    summary: 'Read a page of a frozen export',
    description: `One resource of a snapshot, page by page, until \`hasMore\` is false. The cursor is bound to the snapshot and the resource. Reading
takes nothing from the export allowance. A snapshot that is unknown, expired or another customer's is 404.`,
  },
  createFeedSubscription: {
    tag: 'Subscriptions',
    summary: 'Create a polling subscription',
    description: `Names a place in the feed, bound to this account, this key and one filter for ever; it starts at the head. The same name with the same
filter answers the live feed that there is, with 200; with another filter it is 409. Pro plans have room for 10 live feeds, Ultra plans for 100,
over all keys of the account.`,
  },
  listFeedSubscriptions: {
    tag: 'Subscriptions',
    summary: 'List the live subscriptions of this key',
    description:
      'Live feeds that are bound to the account and the key of the request. Revoked ones are never listed. Takes no query parameter.',
  },
  readFeedSubscriptionChanges: {
    tag: 'Subscriptions',
    summary: 'Poll a subscription',
    description: `As the change feed, with the filter of the subscription. Left out, \`cursor\` is the feed's start cursor: leave it out only the first
time, never to skip what was not read. The server keeps no acknowledgement. A feed that is unknown, revoked, another account's or another key's is
404, and so is an id that is no uuid. An expired position (410) is recovered from by a snapshot's \`boundaryCursor\`; it needs no new feed.`,
  },
  revokeFeedSubscription: {
    tag: 'Subscriptions',
    summary: 'Revoke a subscription',
    description: 'Ends the feed for good and gives its place back at once. Repeating the call answers the first time of revocation.',
  },
} as const satisfies Readonly<Record<string, Prose>>;
