-- The words of documents, for searches of people, and the meeting that shows the document. A text of more characters is searched up to here.
alter table civic.document_texts
  add column meeting_id uuid,
  add column words tsvector;
update civic.document_texts set words = to_tsvector('pg_catalog.english', left(text, 200000));
create index document_texts_by_word on civic.document_texts using gin (words);
