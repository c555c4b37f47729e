// Fetches /ops/state every second and shows it. All values are written as text, never as markup.
'use strict';

const ASK_EVERY_MS = 1000;
const GIVE_UP_MS = 4000;
const OLD_AFTER_MS = 5000;
const COUNTED_UP_TO = 100000;

const byId = (id) => document.getElementById(id);
const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const small = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

const number = (value) => (value === null ? '–' : whole.format(value));
const counted = (value) => (value >= COUNTED_UP_TO ? `${whole.format(value)}+` : whole.format(value));
const rate = (value) => (value === null ? 'measuring' : `${value < 10 ? small.format(value) : whole.format(value)}/s`);
const bytes = (value) => `${whole.format(value / 1048576)} MiB`;
const short = (seconds) => {
  if (seconds === null) return '–';
  if (seconds < 1) return `${whole.format(seconds * 1000)} ms`;
  return seconds < 10 ? `${small.format(seconds)} s` : span(seconds);
};
const span = (seconds) => {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return seconds < 172800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86400)} days`;
};
const minute = (time) => (time === null ? 'never' : `${time.slice(0, 16).replace('T', ' ')} UTC`);
const lag = ({ lagEvents, lagSeconds }) => {
  if (lagEvents === 0 && lagSeconds < 1) return 'none';
  return `${lagEvents === null ? '' : `${number(lagEvents)} events, `}${short(lagSeconds)}`;
};

/** Changes only what differs, so that selection, focus and screen readers are not disturbed. */
const setText = (element, text) => {
  if (element.textContent !== text) element.textContent = text;
};
const setAttribute = (element, name, value) => {
  if (value === undefined) element.removeAttribute(name);
  else if (element.getAttribute(name) !== value) element.setAttribute(name, value);
};

/** Gives the parent one child per item and updates each child from its item. */
const fill = (parent, items, make, update) => {
  while (parent.children.length > items.length) parent.lastElementChild.remove();
  while (parent.children.length < items.length) parent.append(make());
  items.forEach((item, index) => update(parent.children[index], item));
};

const make = (name, attributes = {}, ...children) => {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
};

const SVG = 'http://www.w3.org/2000/svg';
const HOUR_MS = 3600000;

/** Draws lines of the last hour, each with its newest and highest value. Unknown values interrupt a line. */
const showLines = (points, now) => {
  const lines = [
    ['Requests', ({ requests }) => requests, rate],
    ['Refusals and failures', ({ refusals }) => refusals, rate],
    ['Lag of the read models', ({ lag: seconds }) => seconds, short],
  ];
  const makeLine = () => {
    const svg = document.createElementNS(SVG, 'svg');
    svg.setAttribute('viewBox', '0 0 100 100');
    svg.setAttribute('preserveAspectRatio', 'none');
    svg.setAttribute('role', 'img');
    return make('figure', {}, make('figcaption', {}, make('span'), make('span')), svg);
  };
  fill(byId('lines'), lines, makeLine, (figure, [name, valueOf, text]) => {
    const values = points.map((point) => [(100 * (point.at - now + HOUR_MS)) / HOUR_MS, valueOf(point)]);
    const measured = values.map(([, value]) => value).filter((value) => value !== null);
    const highest = Math.max(0, ...measured);
    const summary = measured.length === 0 ? 'measuring' : `${text(measured.at(-1))}, highest ${text(highest)}`;
    const [caption, svg] = figure.children;
    setText(caption.children[0], name);
    setText(caption.children[1], summary);
    setAttribute(svg, 'aria-label', `${name} of the last hour: ${summary}`);
    const parts = [[]];
    for (const [x, value] of values) {
      if (value === null) parts.push([]);
      else parts.at(-1).push(`${x.toFixed(2)},${(98 - (96 * value) / (highest || 1)).toFixed(2)}`);
    }
    const makePart = () => document.createElementNS(SVG, 'polyline');
    fill(svg, parts.filter((part) => part.length > 0), makePart, (line, part) => setAttribute(line, 'points', part.join(' ')));
  });
};

/** Creates a table of columns `[heading, cell, kind]`; a cell is a text, or `{ text, word, severity, reason, progress }`. The first heads its row. */
const showTable = (id, caption, columns, rows, empty) => {
  const table = byId(id);
  if (table.tHead === null) {
    // Explicit roles, because a narrow screen lays the rows out as blocks, which removes their roles.
    setAttribute(table, 'role', 'table');
    setAttribute(table, 'class', columns.length === 2 ? 'plain' : 'many');
    const heads = columns.map(([heading, , kind]) => make('th', { scope: 'col', role: 'columnheader', class: kind ?? '' }, heading));
    table.append(
      make('caption'),
      make('thead', { role: 'rowgroup' }, make('tr', { role: 'row' }, ...heads)),
      make('tbody', { role: 'rowgroup' }),
    );
  }
  setText(table.caption, rows.length === 0 ? empty : caption);
  setAttribute(table, 'data-empty', rows.length === 0 ? 'true' : undefined);
  table.tHead.hidden = rows.length === 0;
  const makeRow = () =>
    make(
      'tr',
      { role: 'row' },
      ...columns.map(([heading, , kind], index) =>
        index === 0
          ? make('th', { scope: 'row', role: 'rowheader' })
          : make('td', { role: 'cell', class: kind ?? '', 'data-label': heading }),
      ),
    );
  fill(table.tBodies[0], rows, makeRow, (element, row) => {
    columns.forEach(([, cell], index) => showCell(element.children[index], cell(row)));
  });
};

const showCell = (element, cell) => {
  const { text = '', word, severity, reason, progress } = typeof cell === 'string' ? { text: cell } : cell;
  const parts = [];
  if (word !== undefined) parts.push(['span', 'word', word]);
  if (progress !== undefined) parts.push(['progress', 'bar', progress]);
  if (text !== '') parts.push(['span', progress === undefined ? 'text' : 'progress-text', text]);
  if (reason !== undefined && reason !== null) parts.push(['span', 'reason', reason]);
  setAttribute(element, 'data-severity', severity);
  const shape = parts.map(([name, kind]) => `${name}.${kind}`).join(' ');
  if (element.dataset.shape !== shape) {
    element.replaceChildren(...parts.map(([name, kind]) => make(name, kind === 'reason' ? { class: kind, tabindex: '0' } : { class: kind })));
    element.dataset.shape = shape;
  }
  parts.forEach(([, kind, value], index) => {
    const part = element.children[index];
    if (kind !== 'bar') return setText(part, value);
    part.max = value.of;
    part.value = value.done;
    setAttribute(part, 'aria-label', value.label);
    return undefined;
  });
};

const WORDS = { paused: 'failing', stopped: 'failing', refused: 'attention', failing: 'failing', stale: 'attention' };
const STATES = { operator_paused: 'paused by an operator', ready: 'ready, held for an operator', scratch: 'compared, then dropped' };
const stateCell = ({ state, reason, poisonEvent }) => ({
  word: STATES[state] ?? state,
  severity: WORDS[state],
  reason: reason === null ? undefined : `${reason}${poisonEvent ? ` (event ${poisonEvent})` : ''}`,
});
const ownerCell = ({ owner }) => owner ?? 'nobody';

const showShared = ({ shared, freeDiskBytes, process: ofProcess }) => {
  const { log, feed } = shared ?? {};
  const tiles = [];
  if (shared !== null) {
    tiles.push(
      ['Log head', typeof log.position === 'number' ? number(log.position) : log.position, log.perSecond === null && typeof log.position === 'string' ? 'not counted by this log' : `${rate(log.perSecond)} events`],
      ['Feed head', number(feed.position), `${rate(feed.perSecond)} changes`],
      ['Live snapshots', counted(shared.snapshots), ''],
      ['Subscriptions', counted(shared.subscriptions), 'active'],
      ['Open reports', number(shared.openReports), ''],
      ['Verified backup', shared.backupSeconds === null ? 'none' : span(shared.backupSeconds), shared.backupSeconds === null ? 'recorded' : 'old'],
      ['Database', bytes(shared.databaseBytes), freeDiskBytes === null ? '' : `${bytes(freeDiskBytes)} of disk are free`],
    );
  }
  tiles.push(
    ['Requests', rate(ofProcess.requestsPerSecond), 'of this process'],
    ['Answer time, p95', ofProcess.p95Seconds === null ? 'none' : short(ofProcess.p95Seconds), ofProcess.p95Seconds === null ? 'no request in the last minute' : 'this process, last minute'],
  );
  const makeTile = () => make('div', {}, make('dt'), make('dd', { class: 'value' }), make('dd', { class: 'note' }));
  fill(byId('tiles'), tiles, makeTile, (element, [name, value, note]) => {
    [name, value, note].forEach((text, index) => setText(element.children[index], text));
  });
  if (shared === null) return;

  byId('rebuilds-section').hidden = shared.rebuilds.length === 0;
  showTable(
    'rebuilds',
    'Built beside the live tables, which go on serving until the switch',
    [
      ['Projection', ({ name, generation }) => `${name}, generation ${generation}`],
      ['State', stateCell, 'state'],
      ['Progress', (row) => {
        const percent = row.of === 0 ? 100 : Math.floor((100 * row.done) / row.of);
        const text = `${percent} % · ${number(row.done)} of ${number(row.of)}`;
        return { text, progress: { done: row.done, of: Math.max(1, row.of), label: `Rebuild of ${row.name}: ${text}` } };
      }, 'wide'],
      ['Rate', (row) => rate(row.rate), 'number'],
      ['Time left', ({ secondsLeft }) => (secondsLeft === null ? 'not known' : span(secondsLeft)), 'number'],
      ['Owner', ownerCell, 'owner wide'],
    ],
    shared.rebuilds,
    '',
  );
  showTable(
    'projections',
    'Read models folded from the log',
    [
      ['Projection', ({ name }) => name],
      ['State', stateCell, 'state'],
      ['Events read', ({ eventsRead }) => number(eventsRead), 'number'],
      ['Rate', (row) => rate(row.rate), 'number'],
      ['Lag', lag, 'number'],
      ['Owner', ownerCell, 'owner wide'],
    ],
    shared.projections,
    'No projection has begun yet',
  );
  showTable(
    'reactors',
    'What follows from events by itself',
    [
      ['Reactor', ({ name }) => name],
      ['State', stateCell, 'state'],
      ['Handled', ({ handled }) => number(handled), 'number'],
      ['Rate', (row) => rate(row.rate), 'number'],
      ['Lag', lag, 'number'],
      ['Owner', ownerCell, 'owner wide'],
    ],
    shared.reactors,
    'None',
  );
  const { byStatus, listed, more } = shared.sources;
  setText(byId('sources-counts'), byStatus.map(({ status, count }) => `${number(count)} ${status}`).join(' · ') || 'No source is known');
  showTable(
    'sources',
    more === 0 ? 'The worst first' : `The worst first; ${number(more)} more`,
    [
      ['Source', ({ place }) => place],
      ['Status', ({ status }) => ({ word: status, severity: WORDS[status] })],
      ['Type', ({ sourceType }) => sourceType],
      ['Failures in a row', ({ consecutiveFailures }) => number(consecutiveFailures), 'number'],
      ['Last check', ({ lastCheckAt }) => minute(lastCheckAt), 'wide'],
      ['Last success', ({ lastSuccessAt }) => minute(lastSuccessAt), 'wide'],
    ],
    listed,
    'None is known',
  );
  const reasons = shared.sourceReasons;
  showTable(
    'source-reasons',
    reasons.more === 0 ? 'Why rows were left out or are incomplete' : `Why rows were left out or are incomplete; ${number(reasons.more)} more reasons`,
    [
      ['Source', ({ source }) => source],
      ['Rows', ({ count }) => number(count), 'number'],
      ['Effect', ({ effect }) => effect],
      ['Reason', ({ reason }) => reason, 'wide'],
      ['Example', ({ example, address }) => (address === undefined ? example : `${example}, ${address}`), 'wide'],
    ],
    reasons.listed,
    'The last syncs left out no row',
  );
  showTable(
    'payments',
    'Under way, and begun in the last day',
    [
      ['State', ({ state }) => state],
      ['Payments', ({ count }) => counted(count), 'number'],
    ],
    shared.payments,
    'None under way, and none in the last day',
  );
};

const showReaders = (readers) => {
  showTable(
    'readers',
    'Whose cursors expire first',
    [
      ['Account', ({ accountId }) => accountId, 'wide'],
      ['Key', ({ keyId }) => keyId, 'wide'],
      ['Last read', ({ lastReadAt }) => minute(lastReadAt), 'wide'],
      ['Expires in', ({ secondsLeft }) => (secondsLeft > 0 ? span(secondsLeft) : 'expired'), 'number'],
    ],
    readers,
    'None has read from a cursor yet',
  );
};

const showProcess = (ofProcess) => {
  setText(byId('process-line'), `role ${ofProcess.role} · version ${ofProcess.version} · up ${span(ofProcess.uptimeSeconds)}`);
  showTable(
    'refusals',
    `In the last ${span(ofProcess.refusalsSpanSeconds)}, by code`,
    [
      ['Code', ({ code }) => code],
      ['Refusals', ({ count }) => number(count), 'number'],
    ],
    ofProcess.refusals,
    `None in the last ${span(ofProcess.refusalsSpanSeconds)}`,
  );
  showTable(
    'process',
    `Process ${ofProcess.pid}`,
    [
      ['Figure', ([name]) => name],
      ['Value', ([, value]) => value, 'number'],
    ],
    [
      ['Role', ofProcess.role],
      ['Version', ofProcess.version],
      ['Up for', span(ofProcess.uptimeSeconds)],
      ['Memory', bytes(ofProcess.residentBytes)],
      ['Heap', bytes(ofProcess.heapBytes)],
      ['Longest stall', short(ofProcess.stalledSeconds)],
    ],
    '',
  );
};

const SEVERITY_WORDS = { failing: 'Failing', attention: 'Attention' };

const LONGEST_LINE = 140;

/** The list omits what the top line already says. */
const showProblems = (problems) => {
  const [worst, ...others] = problems;
  const isCut = worst !== undefined && worst.text.length > LONGEST_LINE;
  const listed = isCut ? problems : others;
  byId('problems-section').hidden = listed.length === 0;
  setText(byId('problems-heading'), isCut ? 'What is wrong' : 'What else is wrong');
  const makeProblem = () => make('li', {}, make('span', { class: 'word' }), make('span', { class: 'reason', tabindex: '0' }));
  fill(byId('problems'), listed, makeProblem, (element, { severity, text }) => {
    setAttribute(element, 'data-severity', severity);
    setText(element.children[0], SEVERITY_WORDS[severity]);
    setText(element.children[1], text);
  });
  const more = others.length > 0 ? ` (and ${others.length} more)` : '';
  const line = worst === undefined ? 'All well' : `${isCut ? `${worst.text.slice(0, LONGEST_LINE - 1)}…` : worst.text}${more}`;
  showStatus(worst?.severity ?? 'well', line);
};

const showStatus = (severity, line) => {
  setAttribute(byId('banner'), 'data-severity', severity);
  setText(byId('severity'), SEVERITY_WORDS[severity] ?? '');
  setText(byId('status'), line);
  document.title = `${line.slice(0, 60)} · Civic Records operations`;
};

let answeredAt = null;
let asking = false;

const ask = async () => {
  if (asking || document.hidden) return;
  asking = true;
  try {
    const answer = await fetch('/ops/state', { signal: AbortSignal.timeout(GIVE_UP_MS), cache: 'no-store' });
    if (!answer.ok) throw new Error(`answered ${answer.status}`);
    const state = await answer.json();
    answeredAt = performance.now();
    showProblems(state.problems);
    showShared(state);
    showReaders(state.readers);
    showLines(state.lastHour, Date.parse(state.at));
    showProcess(state.process);
    const readAt = state.shared === null ? null : Math.max(0, (Date.parse(state.at) - Date.parse(state.shared.at)) / 1000);
    sharedAge = readAt;
  } catch {
    // The displayed age shows that the state is outdated.
  } finally {
    asking = false;
    showAge();
  }
};

let sharedAge = null;

const showAge = () => {
  if (document.hidden) return;
  const silence = answeredAt === null ? performance.now() : performance.now() - answeredAt;
  const isSilent = silence > OLD_AFTER_MS;
  if (isSilent) showStatus('failing', answeredAt === null ? 'The service does not answer' : 'The service does not answer: what is shown is old');
  const isOld = isSilent || (sharedAge !== null && sharedAge * 1000 > OLD_AFTER_MS);
  setAttribute(byId('figures'), 'data-old', isOld ? 'true' : undefined);
  const age = silence / 1000 + (sharedAge ?? 0);
  setText(byId('updated'), answeredAt === null ? 'not updated yet' : age < 2.5 ? 'updated just now' : `figures are ${span(age)} old`);
};

setInterval(() => {
  void ask();
  showAge();
}, ASK_EVERY_MS);
document.addEventListener('visibilitychange', () => void ask());
void ask();
