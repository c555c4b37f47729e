import { Client } from 'pg';

const PARTS: readonly (readonly [string, string])[] = [
  [
    'columns',
    `select format('%s.%s %s%s%s%s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
       case when a.attnotnull then ' not null' end, coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), ''),
       case when a.attcollation <> 0 and co.collname <> 'default' then ' collate ' || co.collname end)
     from pg_attribute a join pg_class c on c.oid = a.attrelid left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
       left join pg_collation co on co.oid = a.attcollation
     where c.relnamespace = 'civic'::regnamespace and c.relkind in ('r', 'p', 'v') and a.attnum > 0 and not a.attisdropped
     order by c.relname, a.attnum`,
  ],
  [
    'tables',
    `select format('%s kind %s persistence %s options %s', relname, relkind, relpersistence, coalesce(array_to_string(reloptions, ','), 'none'))
     from pg_class where relnamespace = 'civic'::regnamespace and relkind in ('r', 'p', 'v', 'S') order by relname`,
  ],
  [
    'indexes',
    `select pg_get_indexdef(indexrelid) from pg_index where indrelid::regclass::text like 'civic.%' order by indexrelid::regclass::text`,
  ],
  [
    'constraints',
    `select format('%s %s: %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) from pg_constraint
     where connamespace = 'civic'::regnamespace and contype <> 'n' order by conrelid::regclass::text, conname`,
  ],
  [
    'triggers',
    `select format('%s enabled %s', pg_get_triggerdef(oid), tgenabled) from pg_trigger
     where not tgisinternal and tgrelid::regclass::text like 'civic.%' order by tgname`,
  ],
  [
    'functions',
    `select pg_get_functiondef(p.oid) from pg_proc p where p.pronamespace = 'civic'::regnamespace
       and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
     order by p.oid::regprocedure::text`,
  ],
  ['extensions', `select extname from pg_extension where extname <> 'plpgsql' order by extname`],
];

/** The schema `civic` as text: equal text means an equal schema, whatever the server's version. */
export async function dumpCatalogue(dsn: string): Promise<string> {
  const client = new Client(dsn);
  await client.connect();
  try {
    const parts: string[] = [];
    for (const [title, sql] of PARTS) {
      const { rows } = await client.query<string[]>({ text: sql, rowMode: 'array' });
      parts.push(`== ${title}\n${rows.flat().join('\n')}\n`);
    }
    return parts.join('\n');
  } finally {
    await client.end();
  }
}
