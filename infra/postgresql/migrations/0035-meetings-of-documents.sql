-- Several meetings can show one document. `meeting_id` stays for processes of earlier versions.
alter table civic.document_texts add column meeting_ids uuid[];
update civic.document_texts set meeting_ids = array[meeting_id] where meeting_id is not null;
