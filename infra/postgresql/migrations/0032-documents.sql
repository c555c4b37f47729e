-- Text of documents as sources served them, by the SHA-256 of the file. They are copies, not facts of the log: an erasure of a record deletes
-- the copies that it was published from.
create table civic.document_texts (
  sha256 text collate "C" primary key check (sha256 ~ '^[0-9a-f]{64}$'),
  bytes bigint not null,
  media_type text,
  text text not null,
  agenda jsonb not null,
  reading_version integer not null,
  record_ids uuid[] not null default '{}'
);
comment on column civic.document_texts.agenda is 'Items and facts that the rules of this version read in the document.';
comment on column civic.document_texts.record_ids is 'Records that were published from this version.';

-- The version that each address served last, with the headers that show whether it has changed.
create table civic.document_addresses (
  address text collate "C" primary key check (octet_length(address) <= 2000),
  sha256 text collate "C" not null references civic.document_texts on delete cascade,
  etag text,
  last_modified text,
  checked_at bigint not null
);
create index document_addresses_by_version on civic.document_addresses (sha256);
comment on column civic.document_addresses.checked_at is 'Milliseconds since the epoch.';
