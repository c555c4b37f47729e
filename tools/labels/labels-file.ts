type Answer = 'yes' | 'no' | 'unclear';

/** Answer of one judge for one item: the topics that apply and those that are unclear; all others do not apply. */
type Judgement = ReadonlyMap<string, 'yes' | 'unclear'>;

export interface LabelledItem {
  readonly id: string;
  readonly first: Judgement;
  readonly second: Judgement;
  /** The label after the comparison of the judges' answers; null while there is none. */
  readonly agreed: Judgement | null;
}

const LABEL_COLUMNS = ['id', 'first', 'second', 'agreed'] as const;

function judgementOf(cell: string, topics: ReadonlySet<string>, where: string): Judgement {
  const judged = new Map<string, 'yes' | 'unclear'>();
  if (cell === '-') return judged;
  for (const label of cell.split(',')) {
    const topic = label.replace(/^\?/, '');
    if (!topics.has(topic))
      throw new Error(`${where}: "${label}" is no label; allowed: - or ${[...topics].join(', ')}, with ? if unclear`);
    if (judged.has(topic)) throw new Error(`${where}: "${topic}" occurs twice`);
    judged.set(topic, label === topic ? 'yes' : 'unclear');
  }
  return judged;
}

/** Reads `id<TAB>first<TAB>second<TAB>agreed` below a line of the column names. Throws and names the line that is wrong. */
export function parseLabels(text: string, topics: ReadonlySet<string>): LabelledItem[] {
  const [head, ...lines] = text.split('\n').filter((line) => line !== '');
  if (head !== LABEL_COLUMNS.join('\t'))
    throw new Error(`line 1: must be the columns ${LABEL_COLUMNS.join(', ')} with tabs between them`);
  const seen = new Set<string>();
  return lines.map((line, at) => {
    const where = `line ${at + 2}`;
    const [id, first, second, agreed, ...more] = line.split('\t');
    if (id === undefined || first === undefined || second === undefined || agreed === undefined || more.length > 0)
      throw new Error(`${where}: has ${line.split('\t').length} columns, must have ${LABEL_COLUMNS.length}`);
    if (seen.has(id)) throw new Error(`${where}: ${id} occurs twice`);
    seen.add(id);
    const cell = (name: string, value: string): Judgement => judgementOf(value, topics, `${where}, ${name}`);
    return {
      id,
      first: cell('first', first),
      second: cell('second', second),
      agreed: agreed === '' ? null : cell('agreed', agreed),
    };
  });
}

const answerOf = (judgement: Judgement, topic: string): Answer => judgement.get(topic) ?? 'no';

/** Returns the agreed label of a topic; null if there is none or it is unclear. */
export function agreedAnswer({ agreed }: LabelledItem, topic: string): boolean | null {
  const answer = agreed === null ? 'unclear' : answerOf(agreed, topic);
  return answer === 'unclear' ? null : answer === 'yes';
}
