/** An invented meeting: days from today, a local hour, a status and the titles on its agenda. */
export interface SampleMeeting {
  readonly key: string;
  readonly days: number;
  readonly hour: number;
  readonly status: 'scheduled' | 'held' | 'cancelled';
  readonly items: readonly SampleItem[];
}

export interface SampleItem {
  readonly title: string;
  readonly outcome?: 'approved' | 'denied' | 'continued';
}

export const SAMPLE_MEETINGS: readonly SampleMeeting[] = [
  {
    key: 'past-3',
    days: -42,
    hour: 18,
    status: 'held',
    items: [
      { title: 'Sample: Call to order' },
      { title: 'Sample: Appointment of two members to the parks board', outcome: 'approved' },
      { title: 'Sample: Lease of the old fire station', outcome: 'approved' },
      { title: 'Sample: Speed limit on Example Boulevard', outcome: 'continued' },
    ],
  },
  {
    key: 'past-2',
    days: -28,
    hour: 18,
    status: 'held',
    items: [
      { title: 'Sample: Call to order' },
      { title: 'Sample: Contract for the resurfacing of Example Street', outcome: 'approved' },
      { title: 'Sample: Rezoning of two acres at 100 Example Avenue from residential to retail', outcome: 'continued' },
    ],
  },
  {
    key: 'past-1',
    days: -14,
    hour: 18,
    status: 'held',
    items: [
      { title: 'Sample: Call to order' },
      { title: 'Sample: Public hearing on the proposed annual budget' },
      { title: 'Sample: Rezoning of two acres at 100 Example Avenue from residential to retail', outcome: 'denied' },
      { title: 'Sample: Purchase of two electric buses', outcome: 'approved' },
    ],
  },
  { key: 'cancelled', days: 7, hour: 9, status: 'cancelled', items: [] },
  {
    key: 'next-1',
    days: 14,
    hour: 18,
    status: 'scheduled',
    items: [
      { title: 'Sample: Call to order' },
      { title: 'Sample: Ordinance on short-term rentals, first reading' },
      { title: 'Sample: Plat of the Example Meadows subdivision' },
      { title: 'Sample: Request for proposals for a new library roof' },
    ],
  },
  {
    key: 'next-2',
    days: 28,
    hour: 18,
    status: 'scheduled',
    items: [{ title: 'Sample: Call to order' }, { title: 'Sample: Ordinance on short-term rentals, final reading' }],
  },
];

/** Building permits of the sample's record stream; `days` counts from today. */
export const SAMPLE_PERMITS = [
  { number: 'SAMPLE-0001', days: -21, status: 'issued', work: 'Sample: Kitchen remodel', address: '12 Example Avenue' },
  { number: 'SAMPLE-0002', days: -9, status: 'issued', work: 'Sample: New garage', address: '34 Example Street' },
  { number: 'SAMPLE-0003', days: -2, status: 'in review', work: 'Sample: Solar panels', address: '56 Example Court' },
] as const;
