import { IGNORE_ROBOTS, type Source, SyncRefused } from '../source.ts';

export const TECHSHARE: Source = {
  description: 'a portal of TechShare Agenda Management, such as that of Tarrant County',
  client: 'the portal and the id of its committee: tarrant-fe6aa5cc-7448-4194-ac6e-08dc95f79ccc',
  ownOptions: [IGNORE_ROBOTS],
  options: [
    ['--base-url <url>', 'another address of the portal; it ends in /publicportal'],
    ['--since <date>', 'every meeting dated on or after YYYY-MM-DD, instead of all'],
    ['--jurisdiction <slug>', 'jurisdiction of a portal outside the shipped table'],
  ],
};

const CLIENT = /^(.+)-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** The address of a client's portal and its committee. Throws `SyncRefused` for another text. */
export function techSharePortal(client: string, baseUrl?: string) {
  const [, portal, committeeId] = CLIENT.exec(client) ?? [];
  if (portal === undefined || committeeId === undefined) {
    throw new SyncRefused(
      `client "${client}" is no portal of TechShare with the id of its committee, such as ${TECHSHARE.client.split(': ')[1]}`,
    );
  }
  return { portal: baseUrl ?? `https://${portal}-agendamanagement-public.techsharetx.gov/publicportal`, committeeId };
}
