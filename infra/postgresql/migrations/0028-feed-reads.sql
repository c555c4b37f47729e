-- Where each key last read the feed: each process writes its keys at most once a minute. Not derived from the log and in no backup.
create table civic.feed_reads (
  key_id uuid primary key,
  read_at bigint not null,
  unread_since bigint
);
comment on column civic.feed_reads.read_at is 'Milliseconds since the epoch.';
comment on column civic.feed_reads.unread_since is 'When the next change after the cursor was made, in milliseconds since the epoch; null at the head of the feed.';
