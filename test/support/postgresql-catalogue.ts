import { Client } from 'pg';

/** Each statement returns the name of an object and its definition. */
const PARTS: Readonly<Record<string, string>> = {
  table: `select relname, format('kind %s persistence %s options %s', relkind, relpersistence, reloptions)
     from pg_class where relnamespace = 'civic'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'S')`,
  column: `select format('%s.%s', c.relname, a.attname), format('%s%s%s%s%s', format_type(a.atttypid, a.atttypmod),
       case when a.attnotnull then ' not null' end, ' default ' || pg_get_expr(d.adbin, d.adrelid),
       ' identity ' || nullif(a.attidentity, '')::text, ' collate ' || co.collname)
     from pg_attribute a join pg_class c on c.oid = a.attrelid
       left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
       left join pg_collation co on co.oid = a.attcollation
     where c.relnamespace = 'civic'::regnamespace and c.relkind in ('r', 'p', 'v') and a.attnum > 0 and not a.attisdropped`,
  index: `select indexrelid::regclass::text, pg_get_indexdef(indexrelid) from pg_index
     join pg_class on pg_class.oid = indrelid where relnamespace = 'civic'::regnamespace`,
  constraint: `select format('%s of %s', conname, conrelid::regclass), pg_get_constraintdef(oid) from pg_constraint
     where connamespace = 'civic'::regnamespace and contype <> 'n'`,
  trigger: `select format('%s of %s', tgname, tgrelid::regclass), format('%s enabled %s', pg_get_triggerdef(t.oid), tgenabled)
     from pg_trigger t join pg_class c on c.oid = tgrelid where not tgisinternal and relnamespace = 'civic'::regnamespace`,
  type: `select typname, format('kind %s', typtype) from pg_type
     where typnamespace = 'civic'::regnamespace and typtype in ('d', 'e', 'r')`,
  function: `select p.oid::regprocedure::text, pg_get_functiondef(p.oid) from pg_proc p where p.pronamespace = 'civic'::regnamespace
       and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')`,
  extension: `select extname, extnamespace::regnamespace::text from pg_extension where extname <> 'plpgsql'`,
};

/** The objects of the schema `civic`, each with its definition. Comments and white space do not count. */
export async function readCatalogue(dsn: string): Promise<Readonly<Record<string, string>>> {
  const client = new Client(dsn);
  await client.connect();
  try {
    const objects: Record<string, string> = {};
    for (const [kind, text] of Object.entries(PARTS)) {
      const { rows } = await client.query<[string, string]>({ text, rowMode: 'array' });
      for (const [name, definition] of rows) objects[`${kind} ${name}`] = withoutLayout(definition);
    }
    return objects;
  } finally {
    await client.end();
  }
}

const withoutLayout = (sql: string): string =>
  sql
    .replaceAll(/--.*$/gm, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/(?<=\() | (?=\))/g, '');
