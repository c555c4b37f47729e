-- Agenda items without hits because the classifier ran over its deadline or failed. They are not tried again until item, topics or classifier change.
create table civic.unclassified_items (
  item_id uuid primary key,
  classifier text not null,
  digest text not null,
  reason text not null,
  failed_at bigint not null
);
comment on column civic.unclassified_items.digest is 'SHA-256 of the item and of the topics.';
comment on column civic.unclassified_items.failed_at is 'Milliseconds since the epoch.';
