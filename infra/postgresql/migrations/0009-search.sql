-- Near words for misspelt ones. The extension may stand in any schema: it was there before, or comes into ours.
create extension if not exists pg_trgm with schema civic;

-- Without accents and ligatures, so that both spellings find each other.
create function civic.plain_text(given text) returns text language sql immutable parallel safe as $$
  select case when octet_length(given) = char_length(given) then given
    else normalize(regexp_replace(normalize(given, NFKD), '[\u0300-\u036f]+', '', 'g'), NFC) end
$$;

do $migration$
declare
  place text := (select n.nspname from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'pg_trgm');
begin
  execute format($create$
    create function civic.index_near_words(words regclass, index_name text) returns void language plpgsql
      set search_path = %I, pg_catalog as $body$
    begin
      execute format('create index %%I on %%s using gin (word gin_trgm_ops)', index_name, words);
    end
    $body$
  $create$, place);
  -- Words of a table that share enough with a given one, the likest first.
  execute format($create$
    create function civic.near_words(words regclass, given text, most integer)
      returns table (word text, likeness real, records bigint) language plpgsql stable
      set search_path = %I, pg_catalog as $body$
    begin
      return query execute format(
        'select w.word, similarity(w.word, $1), w.records from %%s w where w.word %%%% $1 order by 2 desc, 3 desc, 1 limit $2', words
      ) using given, most;
    end
    $body$
  $create$, place);
end
$migration$;
